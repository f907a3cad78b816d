import pino from 'pino';
import { type Observable, Subject, firstValueFrom, of } from 'rxjs';
import { readConfig } from '../../src/cli/read-config.ts';
import { librariesPath } from '../../src/cli/libraries-path.ts';
import { startController } from '../../src/cli/start-controller.ts';
import type { AgentClient, ApplyAnswer } from '../../src/fleet/agent-client.ts';
import { encodeApply } from '../../src/fleet/encode-apply.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import type { ApplyRequest } from '../../src/protocol/apply-request.ts';
import { measureControllerRss } from './lib/controller-rss.ts';
import { findLines } from './lib/find-lines.ts';
import { acceptingAgent } from './lib/accepting-agent.ts';
import {
  type RouteSpec,
  endpointSliceOf,
  haproxyPod,
  ingressClass,
  ingressOf,
  moved,
  routeOf,
  serviceOf,
} from './lib/route-objects.ts';
import { scriptedApi } from './lib/scripted-api.ts';
import { percentile, rounded } from './lib/statistics.ts';

const routeCount = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 10_000);
const changes = 1_000;
/** A controller runs for days: what is measured is its compiled code. */
const warmUp = 500;

/**
 * The controller with 10,000 Ingresses of three endpoints each: the cold render from the last kind's InitDone to the bundle, its
 * longest event-loop block, then single changes from the watch event's bytes to the bytes of the apply request. API and agent
 * are scripts within the process, everything between is the product. Memory is that of a real controller process.
 */
export async function run(): Promise<object> {
  const routes = Array.from({ length: routeCount }, (_, i) => routeOf(i));
  const inProcess = await measureInProcess(routes);
  const [newest] = findLines();
  const memory =
    process.env['HAPTIC_BENCH_NO_RSS'] === '1'
      ? {}
      : await measureControllerRss(newest?.path ?? 'haproxy', routes);
  return { routes: routeCount, ...inProcess, ...memory };
}

async function measureInProcess(routes: readonly RouteSpec[]) {
  const api = scriptedApi({
    ingressclasses: [ingressClass],
    ingresses: routes.map(ingressOf),
    services: routes.map(serviceOf),
    endpointslices: routes.map(endpointSliceOf),
    pods: [haproxyPod('10.255.0.1', 0)],
  });
  const requests = new Subject<ApplyRequest>();
  const agent = acceptingAgent();
  const client: AgentClient = {
    ...agent,
    apply: (pod, request): Observable<ApplyAnswer> => {
      requests.next(request);
      return agent.apply(pod, request);
    },
  };
  const blocks = watchBlocks();
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: '3.4.0' }, []);
  const first = firstValueFrom(requests);
  const controller = startController({
    config: await readConfig(librariesPath(import.meta.url), []),
    transport: api.transport,
    client,
    check: (plan) => of({ kind: 'accepted', planId: plan.id, warnings: [] }),
    capabilities,
    watchTimeoutSeconds: 290,
    log: pino({ level: 'silent' }),
    onFatal: (error) => {
      throw error;
    },
  });
  let synced = 0;
  for (const name of controller.debug.taps.names().filter((tap) => tap.startsWith('resources.')))
    controller.debug.taps.watch(name)?.subscribe(() => {
      synced = performance.now();
      blocks.restart();
    });
  const bundled = new Promise<number>((resolve) => {
    controller.debug.taps.watch('bundles')?.subscribe(() => resolve(performance.now()));
  });
  const coldMs = (await bundled) - synced;
  await first;
  const cold = { ms: rounded(coldMs), maxBlockMs: rounded(blocks.stop()) };

  const samples: { endpoint: number[]; route: number[] } = { endpoint: [], route: [] };
  for (let i = 0; i < changes + warmUp; i++) {
    const kind = i % 2 === 0 ? 'endpoint' : 'route';
    await new Promise((resolve) => setTimeout(resolve, 5));
    const sent = firstValueFrom(requests);
    if (kind === 'route') {
      // Service and endpoints are there before the Ingress, as usual; they change nothing by themselves.
      api.push('services', 'ADDED', serviceOf(routeOf(routeCount + i)));
      api.push('endpointslices', 'ADDED', endpointSliceOf(routeOf(routeCount + i)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const started = performance.now();
    if (kind === 'route') api.push('ingresses', 'ADDED', ingressOf(routeOf(routeCount + i)));
    else
      api.push(
        'endpointslices',
        'MODIFIED',
        endpointSliceOf(moved(routes[(i * 37) % routeCount] as RouteSpec, i)),
      );
    const request = await sent;
    encodeApply(request);
    if (i >= warmUp) samples[kind].push(performance.now() - started);
  }
  await controller.stop();
  const all = [...samples.endpoint, ...samples.route];
  return {
    change: { ...quantiles(all), endpoint: quantiles(samples.endpoint), route: quantiles(samples.route) },
    cold,
  };
}

function quantiles(samples: readonly number[]) {
  return { p50Ms: rounded(percentile(samples, 0.5), 3), p99Ms: rounded(percentile(samples, 0.99), 3) };
}

/** Longest time between two turns of the event loop. */
function watchBlocks() {
  let longest = 0;
  let last = performance.now();
  let running = true;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    restart: () => {
      longest = 0;
    },
    stop: () => {
      running = false;
      return longest;
    },
  };
}
