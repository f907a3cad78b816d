import {
  type MonoTypeOperatorFunction,
  type Observable,
  Subject,
  Subscription,
  combineLatest,
  distinctUntilChanged,
  filter,
  map,
  share,
  tap,
} from 'rxjs';
import type { KubeObject } from '../../api/kube-object.ts';
import { coalesce } from '../../operators/coalesce.ts';
import type { Leadership } from '../../protocol/leadership.ts';
import { type ConfigObjectsDeps, configObjects } from '../../streams/config-objects.ts';
import { writeConfigStatus } from '../../sinks/write-config-status.ts';
import { type ConfigState, configCandidates } from '../../world/config-candidates.ts';
import { type FirstJudge, judgeConfigs } from '../../world/judge-configs.ts';
import { type LoadGateDeps, loadGate } from '../../world/load-gate.ts';
import type { Candidate, LoadReport } from '../../world/load-report.ts';
import type { LiveWorld } from '../../world/open-world.ts';
import { refusalWords } from '../../world/refusal-words.ts';
import type { ControllerRuntime } from '../../world/controller-runtime.ts';
import type { LiveConfig } from './controller-deps.ts';
import { controllerTiming } from './controller-timing.ts';
import type { StartupStages } from '../../world/startup-stages.ts';
import { tellLoad } from './tell-load.ts';

export interface FollowConfigDeps {
  readonly live: LiveConfig;
  readonly watch: ConfigObjectsDeps;
  readonly gate: Pick<LoadGateDeps<LiveWorld>, 'active' | 'open' | 'trial'>;
  /** Takes over a world: once for each that was accepted. */
  readonly take: (report: Extract<LoadReport<LiveWorld>, { readonly kind: 'accepted' }>) => void;
  readonly first: FirstJudge;
  /** Kinds of a configuration that are not there yet. */
  readonly waitingFor: (world: LiveWorld) => readonly string[];
  readonly stages: StartupStages;
  /** Told of each that was refused. */
  readonly refused: (object: KubeObject) => void;
  /** Told why there is nothing to take, and undefined when there is. */
  readonly trouble: (message: string | undefined) => void;
  readonly runtime: Pick<ControllerRuntime, 'taps' | 'log' | 'onFatal' | 'leadership$' | 'leaderTransport'>;
}

export interface FollowedConfig {
  readonly running: Subscription;
  /** Why there is no configuration, if there is none. */
  readonly missing: () => string | undefined;
  /** For `/debug/vars`. */
  readonly vars: () => unknown;
}

/** Of a configuration, by the tap and `/debug/vars`. */
const shownErrors = 50;

/** Follows a HAProxyTemplateConfig: what passes the load gate is taken, and its status says what became of it. */
export function followConfig(deps: FollowConfigDeps): FollowedConfig {
  const { live, gate, stages } = deps;
  const { taps, log, onFatal, leadership$, leaderTransport } = deps.runtime;
  const objects = new WeakMap<Candidate, KubeObject>();
  const wanted = `${live.namespace}/${live.name}`;
  let missing: string | undefined = `HAProxyTemplateConfig ${wanted} was not read yet`;
  let last: ReturnType<typeof shownReport> | undefined;
  let seen: KubeObject | undefined;
  const tell = tellLoad(log);

  const state$ = configObjects(deps.watch, live).pipe(
    tap(({ isServed, config }) => (seen = isServed ? config : undefined)),
    configCandidates({ wanted, shipped: live.shipped }),
    taps.point('config.objects', shownState),
    tap((state) => {
      stages.mark('config-watch');
      missing = state.kind === 'missing' ? state.message : undefined;
      if (state.kind === 'present') {
        objects.set(state.candidate, state.object);
        return;
      }
      deps.trouble(state.message);
      log.warn({ reason: state.message }, 'there is no configuration to load: what was taken stays');
    }),
  );
  const report$ = state$.pipe(
    map((state) => (state.kind === 'present' ? state.candidate : undefined)),
    loadGate<LiveWorld>({
      ...gate,
      test: live.test,
      close: (world) => world.dispose(),
      maxStale: controllerTiming.loadGate.maxStale,
      retry: controllerTiming.loadGate.retry,
    }),
    tap((report) => {
      tell(report);
      last = shownReport(report);
      if (report.kind === 'accepted') deps.take(report);
      if (report.kind === 'refused') deps.trouble(`${report.stage}: ${report.errors[0] ?? 'refused'}`);
      else if (report.kind !== 'passed') deps.trouble(undefined);
      const object = objects.get(report.candidate);
      if (report.kind === 'refused' && object !== undefined) deps.refused(object);
    }),
    taps.point('config.load', shownReport),
    share({ connector: () => new Subject(), resetOnRefCountZero: true }),
  );
  const running = new Subscription();
  running.add(
    judgeConfigs<LiveWorld>({
      report$,
      objectOf: (candidate) => objects.get(candidate),
      generationOf: ({ renderer }) => renderer.generation,
      words: ({ sourceOfTemplate }, verdict) => refusalWords(verdict, sourceOfTemplate),
      first: deps.first,
      waitingFor: deps.waitingFor,
      syncTimeout: controllerTiming.loadGate.sync,
    })
      .pipe(
        tap(({ status, reason, message }) =>
          log.debug({ config: wanted, status, reason, message }, 'configuration judged'),
        ),
        whileLeading(leadership$),
        writeConfigStatus({
          apply: (object) => live.applyStatus(object, leaderTransport),
          seen: () => seen,
          retry: controllerTiming.statusRetry,
        }),
      )
      .subscribe({
        next: (written) => {
          if (written.kind === 'failed')
            log.warn(
              { config: wanted, reason: written.message },
              'status of the configuration could not be written',
            );
        },
        error: onFatal,
      }),
  );
  return { running, missing: () => missing, vars: () => ({ wanted, missing, last }) };
}

/** Of a standby, nothing; the newest value when the process begins to lead. */
function whileLeading<T>(leadership$: Observable<Leadership>): MonoTypeOperatorFunction<T> {
  const isLeading$ = leadership$.pipe(
    map(({ kind }) => kind === 'leading'),
    distinctUntilChanged(),
  );
  return (value$) =>
    combineLatest([value$, isLeading$]).pipe(
      coalesce(),
      filter(([, isLeading]) => isLeading),
      map(([value]) => value),
    );
}

function shownState(state: ConfigState): unknown {
  if (state.kind === 'missing') return state;
  const { id, name, generation } = state.candidate;
  return { kind: state.kind, id, name, generation };
}

function shownReport(report: LoadReport<LiveWorld>) {
  const { id, name, generation } = report.candidate;
  const candidate = { id, name, generation };
  switch (report.kind) {
    case 'passed':
      return { kind: report.kind, ...candidate, stage: report.stage, tookMs: report.tookMs };
    case 'refused':
      return {
        kind: report.kind,
        ...candidate,
        stage: report.stage,
        errors: report.errors.slice(0, shownErrors),
      };
    case 'accepted':
      return {
        kind: report.kind,
        ...candidate,
        planId: report.render?.bundle.plan.id,
        tookMs: report.tookMs,
      };
    case 'unchanged':
      return { kind: report.kind, ...candidate };
  }
}
