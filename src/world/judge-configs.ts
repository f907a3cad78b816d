import {
  EMPTY,
  type Observable,
  ReplaySubject,
  combineLatest,
  distinctUntilChanged,
  filter,
  ignoreElements,
  map,
  merge,
  of,
  share,
  startWith,
  switchMap,
  takeWhile,
  timer,
} from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { LatchState } from '../gate/latch.ts';
import type { QuarantineState } from '../gate/quarantine-state.ts';
import type { Verdict } from '../gate/verdict.ts';
import { coalesce } from '../operators/coalesce.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { ConfigJudgement } from '../sinks/config-status.ts';
import type { Candidate, LoadReport, LoadStage } from './load-report.ts';

/** What judges the first configuration: nothing was there to try it beside. */
export interface FirstJudge {
  readonly render$: Observable<RenderOutcome>;
  readonly verdict$: Observable<Verdict>;
  readonly latch$: Observable<LatchState>;
  readonly quarantine$: Observable<QuarantineState>;
}

export interface JudgeConfigsDeps<World> {
  /** Shared and hot. */
  readonly report$: Observable<LoadReport<World>>;
  readonly objectOf: (candidate: Candidate) => KubeObject | undefined;
  readonly generationOf: (world: World) => object;
  /** A refusal by HAProxy for people, one text for each thing that is wrong. */
  readonly words: (world: World, verdict: Verdict) => readonly string[];
  readonly first: FirstJudge;
  /** Kinds of a configuration that are not there yet. */
  readonly waitingFor: (world: World) => readonly string[];
  /** Milliseconds after which it is told that the first configuration waits for some. */
  readonly syncTimeout: number;
}

/** A judgement without its object. */
type Word = Omit<ConfigJudgement, 'object'>;

const reasons: Readonly<Record<LoadStage, ConfigJudgement['reason']>> = {
  basic: 'ConfigInvalid',
  template: 'ConfigInvalid',
  jsonpath: 'ConfigInvalid',
  validationTests: 'ConfigInvalid',
  render: 'LoadGateFailed',
  check: 'HAProxyValidationFailed',
};

/**
 * What became of configurations as their status says it. The first one is judged by what comes of the pipeline's renders, for as long
 * as it takes, whatever is tried beside it meanwhile. A configuration that is the one at work is what that was judged to be.
 */
export function judgeConfigs<World>(deps: JudgeConfigsDeps<World>): Observable<ConfigJudgement> {
  const { report$, objectOf } = deps;

  /** Of the configuration at work. */
  const active$ = report$.pipe(
    filter((report) => report.kind === 'accepted'),
    // A source, not work: another configuration is at work from now on.
    switchMap(({ candidate: { id }, render, world }) =>
      (render === undefined ? firstWord(deps, world) : of(valid)).pipe(map((word) => ({ id, word }))),
    ),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );

  const wordOf = (report: LoadReport<World>): Observable<Word> => {
    switch (report.kind) {
      case 'passed':
        return EMPTY;
      case 'refused':
        return of(refusal(report.stage, report.errors, report.passing));
      case 'unchanged':
      case 'accepted':
        return active$.pipe(
          filter(({ id }) => id === report.candidate.id),
          map(({ word }) => word),
        );
    }
  };

  const judged$ = report$.pipe(
    filter(({ kind }) => kind !== 'passed'),
    // A source, not work: what is known of the newest configuration counts.
    switchMap((report) => {
      const object = objectOf(report.candidate);
      return object === undefined ? EMPTY : wordOf(report).pipe(map((word) => ({ ...word, object })));
    }),
  );

  // First of all, so that what is at work is known when it is asked for.
  return merge(active$.pipe(ignoreElements()), judged$);
}

const validating: Word = {
  status: 'Unknown',
  reason: 'Validating',
  message: 'waiting for the first render and what HAProxy says of it',
  errors: [],
};

const valid: Word = {
  status: 'Valid',
  reason: 'ValidationSucceeded',
  message: 'the configuration is at work',
  errors: [],
};

function refusal(stage: LoadStage, errors: readonly string[], passing: boolean): Word {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return {
    status: passing ? 'Unknown' : 'Invalid',
    reason: passing ? 'LoadGateFailed' : reasons[stage],
    message: `${stage}: ${errors[0] ?? 'refused'}${more}`,
    errors,
  };
}

/**
 * Valid when HAProxy accepts a render of it, which is the last word. Until then: what is wrong where it cannot be rendered, where kinds
 * that it watches do not come, where the check cannot run, and where nothing of it can be released. The newest word wins within a burst.
 */
function firstWord<World>(deps: JudgeConfigsDeps<World>, world: World): Observable<Word> {
  const { render$, verdict$, latch$, quarantine$ } = deps.first;
  const generation = deps.generationOf(world);
  return combineLatest({
    isAccepted: latch$.pipe(
      map(({ accepted }) => accepted?.provenance?.generation === generation),
      startWith(false),
    ),
    outcome: render$.pipe(startWith(undefined)),
    isLate: timer(deps.syncTimeout).pipe(
      map(() => true),
      startWith(false),
    ),
    verdict: verdict$.pipe(startWith(undefined)),
    stuck: quarantine$.pipe(
      map((state) => (state.generation === generation ? state.stuck : undefined)),
      startWith(undefined),
    ),
  }).pipe(
    coalesce(),
    map(({ isAccepted, outcome, isLate, verdict, stuck }): Word => {
      if (isAccepted) return valid;
      if (outcome === undefined && isLate) {
        const names = deps.waitingFor(world).join(', ');
        return refusal('render', [`not synced within ${deps.syncTimeout / 1000} s: ${names}`], true);
      }
      if (outcome?.kind === 'rejected') return refusal('render', [outcome.message], outcome.passing === true);
      if (verdict?.kind === 'unchecked') return refusal('check', [verdict.message], true);
      if (stuck === undefined) return validating;
      const isMeant =
        verdict?.kind === 'refused' && verdict.findings.some(({ message }) => message === stuck);
      return refusal('check', isMeant ? deps.words(world, verdict) : [stuck], false);
    }),
    distinctUntilChanged(isSame),
    takeWhile((word) => word !== valid, true),
  );
}

function isSame(a: Word, b: Word): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.errors.length === b.errors.length &&
    a.errors.every((text, index) => text === b.errors[index])
  );
}
