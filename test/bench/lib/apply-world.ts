import pino from 'pino';
import { of, tap } from 'rxjs';
import { librariesPath } from '../../../src/cli/libraries-path.ts';
import { readConfig } from '../../../src/cli/read-config.ts';
import { startController } from '../../../src/cli/start-controller.ts';
import type { AgentClient } from '../../../src/fleet/agent-client.ts';
import type { ApplyResult } from '../../../src/protocol/wire.ts';
import { capabilitiesOf } from '../../../src/plan/capabilities.ts';
import {
  type RouteSpec,
  endpointSliceOf,
  haproxyPod,
  ingressClass,
  ingressOf,
  moved,
  routeOf,
  serviceOf,
} from './route-objects.ts';
import { scriptedApi } from './scripted-api.ts';

/** The product's controller on a scripted API, delivering to real agents. */
export interface ApplyWorld {
  /** Replaces one endpoint of a route; milliseconds from its bundle to the last acknowledgement, and how each pod did it. */
  change(i: number): Promise<Convergence>;
  stop(): Promise<void>;
}

export interface Convergence {
  readonly ms: number;
  /** Of `ms`, from the first request that left to the last answer. */
  readonly requestMs: number;
  readonly modes: readonly string[];
  /** What the last agent to answer spent, milliseconds by phase. */
  readonly agent: Timing;
}

type Timing = ApplyResult['timing'];

export interface ApplyWorldOptions {
  readonly routes: number;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly client: AgentClient;
}

interface Acknowledgement {
  readonly kind: 'acked' | 'failed' | 'scheduled';
  readonly pod: { readonly key: string };
  readonly planId: string;
  readonly mode?: string;
  readonly message?: string;
  readonly timing?: Timing;
}

/** Resolves when every pod runs the first bundle. */
export async function startApplyWorld(options: ApplyWorldOptions): Promise<ApplyWorld> {
  const routes = Array.from({ length: options.routes }, (_, i) => routeOf(i));
  const api = scriptedApi({
    ingressclasses: [ingressClass],
    ingresses: routes.map(ingressOf),
    services: routes.map(serviceOf),
    endpointslices: routes.map(endpointSliceOf),
    pods: options.addresses.map(haproxyPod),
  });
  let requestedAt = 0;
  let answeredAt = 0;
  const config = await readConfig(librariesPath(import.meta.url), []);
  const { extraContext } = config.templatingSettings;
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: '3.4.0' }, []);
  const controller = startController({
    config: {
      ...config,
      dataplane: { ...config.dataplane, port: options.port },
      templatingSettings: {
        ...config.templatingSettings,
        // A socket in each pod's own folder: the pods of this machine would fight for a port.
        extraContext: {
          ...extraContext,
          httpBind: 'unix@haptic-http.sock',
          statusBind: 'unix@haptic-status.sock',
        },
      },
    },
    transport: api.transport,
    client: {
      ...options.client,
      apply: (pod, request) => {
        if (requestedAt === 0) requestedAt = performance.now();
        return options.client.apply(pod, request).pipe(tap(() => (answeredAt = performance.now())));
      },
    },
    check: (plan) => of({ kind: 'accepted', planId: plan.id, warnings: [] }),
    capabilities,
    watchTimeoutSeconds: 290,
    log: pino({ level: process.env['HAPTIC_BENCH_LOG'] ?? 'silent' }),
    onFatal: (error) => {
      throw error;
    },
  });
  const { taps } = controller.debug;
  let wanted = '';
  let bundledAt = 0;
  let modes = new Map<string, string>();
  let converged = Promise.withResolvers<Convergence>();
  taps.watch('bundles')?.subscribe((value) => {
    bundledAt = performance.now();
    wanted = (value as { planId: string }).planId;
    requestedAt = 0;
    modes = new Map();
  });
  taps.watch('deliveries')?.subscribe((value) => {
    const report = value as Acknowledgement;
    if (report.kind === 'failed') process.stderr.write(`    ${report.pod.key}: ${report.message ?? ''}\n`);
    if (report.kind !== 'acked' || report.planId !== wanted) return;
    modes.set(report.pod.key, report.mode ?? '');
    if (modes.size === options.addresses.length)
      converged.resolve({
        ms: performance.now() - bundledAt,
        requestMs: answeredAt - requestedAt,
        modes: [...modes.values()],
        agent: report.timing ?? ({} as Timing),
      });
  });
  await converged.promise;

  return {
    change: (i) => {
      converged = Promise.withResolvers();
      const route = routes[(i * 37) % routes.length] as RouteSpec;
      api.push('endpointslices', 'MODIFIED', endpointSliceOf(moved(route, i)));
      return converged.promise;
    },
    stop: () => controller.stop(),
  };
}
