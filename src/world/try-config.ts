import { NEVER, type Observable, concat, filter, map, take, tap } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { ConfigLibrary } from '../config/config-library.ts';
import { candidateOf } from './config-candidates.ts';
import { type LoadGateDeps, loadGate } from './load-gate.ts';
import type { LoadStage } from './load-report.ts';
import { withoutTraffic } from './without-traffic.ts';

/** What the load gate says of a configuration that nobody wants to take. */
export type ConfigVerdict =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'refused';
      readonly stage: LoadStage;
      readonly errors: readonly string[];
      /** Nothing is known to be wrong with it. */
      readonly passing: boolean;
    };

/** One verdict, then completion. Unsubscribing ends the work. */
export type TryConfig = (config: KubeObject, libraries: readonly KubeObject[]) => Observable<ConfigVerdict>;

export interface TryConfigDeps<World> extends Pick<LoadGateDeps<World>, 'open' | 'test' | 'trial' | 'close'> {
  /** Libraries that the program brings along. */
  readonly shipped: readonly ConfigLibrary[];
}

/** Equal to no candidate's: every one is tried, and beside the one at work. */
const another = 'the configuration at work';

/**
 * Puts a configuration with these libraries through the whole load gate, and lets go of its world whatever comes of it. Whoever sent it is not known: its
 * tests run without `traffic`.
 */
export function createTryConfig<World>(deps: TryConfigDeps<World>): TryConfig {
  const test: typeof deps.test = ({ config, ...resolved }) =>
    deps.test({ ...resolved, config: withoutTraffic(config) });
  return (config, libraries) =>
    concat(candidateOf(config, libraries, deps.shipped), NEVER).pipe(
      loadGate<World>({ ...deps, test, active: () => another, maxStale: 2 ** 31 - 1, retry: 2 ** 31 - 1 }),
      tap((report) => {
        if (report.kind === 'accepted') deps.close(report.world);
      }),
      map((report): ConfigVerdict | undefined => {
        if (report.kind === 'passed') return undefined;
        if (report.kind !== 'refused') return { kind: 'accepted' };
        const { stage, errors, passing } = report;
        return { kind: 'refused', stage, errors, passing };
      }),
      filter((verdict) => verdict !== undefined),
      take(1),
    );
}
