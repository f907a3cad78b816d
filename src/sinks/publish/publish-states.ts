import {
  type Observable,
  asyncScheduler,
  combineLatest,
  distinctUntilChanged,
  filter,
  map,
  merge,
  of,
  scan,
  startWith,
  switchMap,
  timer,
} from 'rxjs';
import type { LatchState, LatchVerdict } from '../../gate/latch.ts';
import { redact } from '../../lib/redact.ts';
import { coalesce } from '../../operators/coalesce.ts';
import type { Bundle } from '../../protocol/bundle.ts';
import type { Fleet } from '../../protocol/fleet.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { RetainedConfig } from '../../protocol/retained-config.ts';
import type { AcceptedRender, PublishOptions, PublishState, RefusedRender } from './publish-state.ts';
import type { PublishedNames } from './published-names.ts';
import { wantedFiles, type WantedFiles, wantedTwin } from './wanted-files.ts';

export interface PublishStateInputs {
  readonly options$: Observable<PublishOptions>;
  readonly latch$: Observable<LatchState>;
  /** Verdicts on renders, after the latch has seen the render. */
  readonly verdict$: Observable<LatchVerdict>;
  readonly fleet$: Observable<Fleet>;
  /** See {@link PublishState.retained}: as it is at once, then every change. */
  readonly retained$: Observable<readonly RetainedConfig[] | undefined>;
  readonly names: PublishedNames;
  /** Milliseconds for which a refusal has to last: most are over as soon as the object to blame is held back. */
  readonly refusalDelay: number;
}

/** Renders on which a verdict may still come. */
const mostRenders = 8;
const longestWords = 8_192;

/**
 * What is to be shown, whenever that changes. Loss policy: the newest state wins within one synchronous burst. Never errors, never
 * completes.
 */
export function publishStates(inputs: PublishStateInputs): Observable<PublishState> {
  return combineLatest({
    options: inputs.options$,
    rendered: rendersOf(inputs.latch$),
    refused: refusalsOf(inputs),
    fleet: inputs.fleet$.pipe(startWith(undefined)),
    retained: inputs.retained$,
  }).pipe(
    coalesce(),
    map(({ options, rendered: { accepted, pinned }, refused, fleet, retained }): PublishState => ({
      options,
      pinned,
      ...filesFor(inputs.names, options),
      ...(accepted && { accepted }),
      ...(refused && { refused }),
      ...(fleet && { fleet }),
      ...(retained && { retained }),
    })),
  );
}

interface Rendered {
  readonly accepted?: AcceptedRender;
  readonly pinned: boolean;
}

/** The accepted render and since when: one value whenever one of them changes. */
function rendersOf(latch$: Observable<LatchState>): Observable<Rendered> {
  const renderedAt = new WeakMap<Bundle, string>();
  return latch$.pipe(
    scan<LatchState, Rendered>(
      (former, { newest, accepted, pinned }) => {
        const now = isoNow();
        if (newest !== undefined && !renderedAt.has(newest)) renderedAt.set(newest, now);
        if (accepted === undefined) return { pinned };
        if (accepted.plan.id === former.accepted?.plan.id) return { pinned, accepted: former.accepted };
        const { plan } = accepted;
        const render = { plan, renderedAt: renderedAt.get(accepted) ?? now, validatedAt: now };
        return { pinned, accepted: render };
      },
      { pinned: false },
    ),
    distinctUntilChanged((a, b) => a.accepted === b.accepted && a.pinned === b.pinned),
  );
}

type Refusal = RefusedRender & { readonly since: number };
type Input =
  | { readonly kind: 'newest'; readonly plan: Plan }
  | { readonly kind: 'verdict'; readonly verdict: LatchVerdict };

interface Judged {
  readonly renders: readonly Omit<RefusedRender, 'words'>[];
  readonly refused?: Refusal | 'none';
}

/** The refusal that holds, once it has held for a while; `none` as soon as there is none. */
function refusalsOf({
  latch$,
  verdict$,
  refusalDelay,
}: PublishStateInputs): Observable<RefusedRender | 'none' | undefined> {
  const newest$ = latch$.pipe(
    map(({ newest }) => newest),
    filter((bundle) => bundle !== undefined),
    distinctUntilChanged(),
  );
  return merge(
    newest$.pipe(map(({ plan }): Input => ({ kind: 'newest', plan }))),
    verdict$.pipe(map((verdict): Input => ({ kind: 'verdict', verdict }))),
  ).pipe(
    scan<Input, Judged>(step, { renders: [] }),
    map(({ refused }) => refused),
    distinctUntilChanged(),
    // Not work: only the newest is of interest. A later refusal of the same time without acceptance has as long to wait as the first had.
    switchMap((refused) => {
      if (refused === undefined || refused === 'none') return of(refused);
      return timer(Math.max(0, refused.since + refusalDelay - asyncScheduler.now())).pipe(map(() => refused));
    }),
    startWith(undefined),
  );
}

function step(judged: Judged, input: Input): Judged {
  if (input.kind === 'newest') {
    const render = { plan: input.plan, renderedAt: isoNow() };
    return { ...judged, renders: [...judged.renders, render].slice(-mostRenders) };
  }
  const { verdict } = input;
  if (verdict.kind === 'accepted') return { ...judged, refused: 'none' };
  const render = judged.renders.findLast(({ plan }) => plan.id === verdict.planId);
  if (verdict.kind === 'unchecked' || render === undefined) return judged;
  const former = judged.refused;
  const since = former === undefined || former === 'none' ? asyncScheduler.now() : former.since;
  return { ...judged, refused: { ...render, words: wordsOf(verdict), since } };
}

function wordsOf({ findings = [] }: LatchVerdict): string {
  const words = redact(findings.map(({ message }) => message).join('\n'));
  const text = typeof words === 'string' ? words : '';
  return text === '' ? 'HAProxy refuses it without a word.' : text.slice(0, longestWords);
}

function filesFor(
  names: PublishedNames,
  { configFile, compressionThreshold }: PublishOptions,
): Pick<PublishState, 'filesOf' | 'twinOf'> {
  const options = { names, configFile, compressionThreshold };
  let last: { readonly plan: Plan; readonly files: WantedFiles } | undefined;
  return {
    filesOf: (plan) => {
      if (last?.plan !== plan) last = { plan, files: wantedFiles(plan, options) };
      return last.files;
    },
    twinOf: (plan) => wantedTwin(plan, options),
  };
}

function isoNow(): string {
  return new Date(asyncScheduler.now()).toISOString();
}
