import {
  EMPTY,
  type Observable,
  catchError,
  defer,
  distinctUntilChanged,
  expand,
  filter,
  map,
  merge,
  of,
  scan,
  switchMap,
  take,
  timer,
} from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import { coalesce } from '../operators/coalesce.ts';
import { perKeyLatest } from '../operators/per-key-latest.ts';
import { isSameFleet, type Fleet, type RejectedPod } from '../protocol/fleet.ts';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';

export interface AnsweringPodsDeps {
  /** Asks a pod's agent for its state: emits when it answers, errors when it does not. */
  readonly probe: (pod: HaproxyPod) => Observable<ProbedAgent>;
  /** Milliseconds until a pod that did not answer is asked again: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
}

/** What a pod's agent says of itself. */
export interface ProbedAgent {
  /** It refuses what comes when its HAProxy has been told to end. Others would reload it then, and it would never end. */
  readonly refusesWhenEnding: boolean;
}

interface Answer {
  readonly authority: string;
  readonly answers: boolean;
  readonly refusesWhenEnding: boolean;
  readonly message: string;
}

type Input =
  { readonly kind: 'found'; readonly fleet: Fleet } | { readonly kind: 'answer'; readonly answer: Answer };

interface Known {
  readonly found?: Fleet;
  /** By authority, of pods in `found` only. */
  readonly answers: Map<string, Answer>;
}

/**
 * The fleet without the pods whose agents have not answered yet: these are rejected with what went wrong, and asked again and
 * again. A pod that has answered once stays, whatever becomes of its agent, until it is replaced or gone: from then on it is for
 * delivery to find out. A pod that is being asked for the first time is in no list. Of the pods that end, those stay whose agents have
 * answered, and see to it that HAProxy is left alone when it has been told to end; of the others nothing is said.
 *
 * `found$` must give late subscribers its newest value. Loss policy: the newest fleet wins within one synchronous burst. Never
 * errors, never completes.
 */
export function answeringPods(found$: Observable<Fleet>, deps: AnsweringPodsDeps): Observable<Fleet> {
  return defer(() => {
    const answer$ = found$.pipe(
      map(({ pods, leaving = [] }) => [...pods, ...leaving]),
      perKeyLatest({
        keyOf: authorityOf,
        // The same authority is asked until it answers; nothing about it is newer.
        same: () => true,
        concurrent: Infinity,
        project: askUntilAnswered,
      }),
    );
    return merge(
      found$.pipe(map((fleet): Input => ({ kind: 'found', fleet }))),
      answer$.pipe(map((answer): Input => ({ kind: 'answer', answer }))),
    ).pipe(
      scan(step, { answers: new Map() } as Known),
      coalesce(),
      map(fleetOf),
      filter((fleet) => fleet !== undefined),
      distinctUntilChanged(isSameFleet),
    );
  });

  function askUntilAnswered(pod: HaproxyPod): Observable<Answer> {
    const authority = authorityOf(pod);
    const ask = (): Observable<Answer> =>
      defer(() => deps.probe(pod)).pipe(
        take(1),
        map(({ refusesWhenEnding }): Answer => ({
          authority,
          answers: true,
          refusesWhenEnding,
          message: '',
        })),
        catchError((error: unknown) => {
          const message = errorMessage(error);
          return of({ authority, answers: false, refusesWhenEnding: false, message });
        }),
      );
    const { min, max } = deps.retry;
    return ask().pipe(
      expand(({ answers }, failures) =>
        answers ? EMPTY : timer(Math.min(max, min * 2 ** failures)).pipe(switchMap(ask)),
      ),
    );
  }
}

function step(known: Known, input: Input): Known {
  if (input.kind === 'answer') {
    known.answers.set(input.answer.authority, input.answer);
    return known;
  }
  const { pods, leaving = [] } = input.fleet;
  const present = new Set([...pods, ...leaving].map(authorityOf));
  for (const authority of known.answers.keys()) if (!present.has(authority)) known.answers.delete(authority);
  return { ...known, found: input.fleet };
}

function fleetOf({ found, answers }: Known): Fleet | undefined {
  if (found === undefined) return undefined;
  const silent = found.pods.flatMap((pod): RejectedPod[] => {
    const answer = answers.get(authorityOf(pod));
    if (answer === undefined || answer.answers) return [];
    return [{ key: pod.key, reason: 'agent_not_answering', message: answer.message }];
  });
  return {
    pods: found.pods.filter((pod) => answers.get(authorityOf(pod))?.answers === true),
    leaving: (found.leaving ?? []).filter((pod) => answers.get(authorityOf(pod))?.refusesWhenEnding === true),
    rejected: [...found.rejected, ...silent].sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}
