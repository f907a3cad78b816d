import { type Observable, type Subscription, combineLatest, map, startWith } from 'rxjs';
import type { Logger } from 'pino';
import type { HttpContentConfig } from '../../api/template-config.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { Taps } from '../../operators/taps.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { RenderOutcome } from '../../protocol/render-outcome.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import { recordHttpContents } from '../../sinks/record-http-contents.ts';
import { awaitContents } from '../../streams/await-contents.ts';
import { createHttpContents, type HttpReport, type JoinedMember } from '../../streams/http-contents.ts';
import { createHttpFetcher } from '../../streams/http-fetcher.ts';

export interface FollowHttpDeps {
  /** HAProxy's verdict on a render of the configuration at work. */
  readonly check: (plan: Plan) => Observable<Verdict>;
  readonly metrics: Metrics;
  readonly taps: Taps;
  readonly log: Logger;
  readonly onFatal: (error: unknown) => void;
}

interface WithHttp {
  readonly http?: JoinedMember;
}

/** The HTTP content of all configurations, fetched for as long as the controller runs. */
export interface FollowedHttp {
  /** For a new configuration. */
  readonly join: (policy: HttpContentConfig) => JoinedMember;
  /** For a configuration that is only asked about: it sees what is there, and nothing is fetched for it. */
  readonly look: (policy: HttpContentConfig) => JoinedMember;
  /** Changes of a configuration, those of its HTTP content included. */
  readonly withContents: <W extends WithHttp>(world: W, changes$: Observable<W>) => Observable<W>;
  /** Renders of a configuration, of which the first waits for its HTTP content. */
  readonly awaited: (world: WithHttp, turn$: Observable<RenderOutcome>) => Observable<RenderOutcome>;
  /** Begins to fetch, until the subscription ends. */
  readonly start: () => Subscription;
  /** After that. */
  readonly close: () => Promise<void>;
}

const timing = { sweep: 60_000, firstWait: 30_000, trialRetry: { min: 1_000, max: 30_000 } };

export function followHttp({ check, metrics, taps, log, onFatal }: FollowHttpDeps): FollowedHttp {
  const fetcher = createHttpFetcher();
  const contents = createHttpContents({ fetch: fetcher.fetch, check, random: Math.random, timing });
  const report$ = contents.work$.pipe(
    taps.point<HttpReport>('http', (report) => ({ ...report, urls: contents.status() })),
  );
  return {
    join: (policy) => contents.join(policy),
    look: (policy) => contents.look(policy),
    withContents: (world, changes$) =>
      world.http === undefined
        ? changes$
        : combineLatest([changes$, world.http.changed$.pipe(startWith(undefined))]).pipe(map(() => world)),
    awaited: ({ http }, turn$) => (http === undefined ? turn$ : awaitContents(turn$, http.first)),
    start: () => recordHttpContents(report$, () => contents.status().length, metrics, log, onFatal),
    close: () => fetcher.close(),
  };
}
