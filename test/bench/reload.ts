import { execFileSync } from 'node:child_process';
import pino from 'pino';
import { of } from 'rxjs';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { gatesByValidators } from '../../src/cli/controller/gates-by-validators.ts';
import { librariesPath } from '../../src/cli/libraries-path.ts';
import { shippedLibraries } from '../../src/cli/shipped-libraries.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { version } from '../../src/lib/version.ts';
import type { KubeTransport } from '../../src/kube/kube-transport.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import { acceptingAgent } from './lib/accepting-agent.ts';
import { findLines } from './lib/find-lines.ts';
import {
  endpointSliceOf,
  haproxyPod,
  ingressClass,
  ingressOf,
  routeOf,
  serviceOf,
} from './lib/route-objects.ts';
import { scriptedApi } from './lib/scripted-api.ts';
import { percentile, rounded } from './lib/statistics.ts';
import { watchBlocks } from './lib/watch-blocks.ts';

const routeCount = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 10_000);
const changes = Number(process.env['HAPTIC_BENCH_CHANGES'] ?? 7);
/** HAProxy's check is to have the machine meanwhile. */
const lookEveryMs = 2;
const watched = new Set(['ingresses', 'ingressclasses', 'services', 'endpointslices']);

interface Load {
  readonly kind: string;
  readonly stage?: string;
  readonly tookMs?: number;
  readonly errors?: readonly string[];
}

/**
 * A changed snippet of a HAProxyTemplateConfig over 10,000 Ingresses of three endpoints each: from the bytes of the watch event to
 * the new configuration at work, with its render checked by a real `haproxy -c`, and to the latch that releases that render. API and
 * agent are scripts within the process, everything between is the product. `relists` counts requests for a watched kind
 * after the start, `mainThreadCpuMs` is what of `ms` the main thread worked: the rest is HAProxy's own, and waiting. `everyRoute`: the same blocks
 * while all routes go and come back, since their IngressClass becomes another controller's and ours again. `maxCollectorMs` is what V8's collector paused at most.
 */
export async function run(): Promise<object> {
  const [newest] = findLines();
  const haproxy = newest?.path ?? 'haproxy';
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: versionOf(haproxy) }, []);
  const routes = Array.from({ length: routeCount }, (_, i) => routeOf(i));
  const api = scriptedApi({
    ingressclasses: [ingressClass],
    ingresses: routes.map(ingressOf),
    services: routes.map(serviceOf),
    endpointslices: routes.map(endpointSliceOf),
    pods: [haproxyPod('10.255.0.1', 0)],
    haproxytemplateconfigs: [configOf(0)],
  });
  const requests: string[] = [];
  const transport: KubeTransport = {
    ...api.transport,
    request: (request) => {
      requests.push(request.path.split('/').at(-1) ?? '');
      return api.transport.request(request);
    },
  };
  const check = gatesByValidators({ haproxy });
  let checks = 0;
  const controller = startController({
    config: {
      namespace: 'haptic',
      name: 'haproxy-config',
      shipped: await shippedLibraries(librariesPath(import.meta.url)),
      test: () => of({ ok: true, value: undefined }),
      applyStatus: () => of({ kind: 'written' }),
    },
    transport,
    client: acceptingAgent(),
    check: (plan, config) => {
      checks++;
      return check(plan, config);
    },
    capabilities,
    watchTimeoutSeconds: 290,
    log: pino({ level: 'silent' }),
    onFatal: (error) => {
      throw error;
    },
  });
  const loads: Load[] = [];
  const listeners = new Set<() => void>();
  controller.debug.taps.watch('config.load')?.subscribe((report) => {
    loads.push(report as Load);
    for (const listener of listeners) listener();
  });
  let releasedPlan = '';
  controller.debug.taps.watch('latch')?.subscribe((state) => {
    const { released, mode } = state as { released?: string; mode: string };
    if (mode === 'optimistic' && released !== undefined) releasedPlan = released;
    for (const listener of listeners) listener();
  });
  const until = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
    });
  await until(() => releasedPlan !== '');
  await sleep(1_500);

  const listed = requests.filter((resource) => watched.has(resource)).length;
  const samples: number[] = [];
  const released: number[] = [];
  const cpu: number[] = [];
  const stages = new Map<string, number[]>();
  const blocks = watchBlocks(lookEveryMs);
  for (let change = 1; change <= changes; change++) {
    const first = loads.length;
    const former = releasedPlan;
    const checksBefore = checks;
    // The first is code that was never run before.
    if (change === 2) blocks.restart();
    const cpuBefore = cpuMs();
    const started = performance.now();
    api.push('haproxytemplateconfigs', 'MODIFIED', configOf(change));
    await until(() => loads.slice(first).some(({ kind }) => kind === 'accepted' || kind === 'refused'));
    const ms = performance.now() - started;
    const cpuSpent = cpuMs() - cpuBefore;
    const refused = loads.slice(first).find(({ kind }) => kind === 'refused');
    if (refused !== undefined) throw new Error(`refused: ${JSON.stringify(refused)}`);
    await until(() => releasedPlan !== former);
    if (change > 1) {
      samples.push(ms);
      cpu.push(cpuSpent);
      released.push(performance.now() - started);
      for (const { stage, tookMs } of loads.slice(first))
        if (stage !== undefined) stages.set(stage, [...(stages.get(stage) ?? []), tookMs ?? 0]);
    }
    await sleep(1_500);
    if (change === changes) process.stderr.write(`  checks of the last change: ${checks - checksBefore}\n`);
  }
  const block = blocks.longest();
  blocks.restart();
  for (let change = 0; change < 4; change++) {
    const former = releasedPlan;
    const controllerName = change % 2 === 0 ? 'example.com/other' : 'haproxy-haptic.org/controller';
    api.push('ingressclasses', 'MODIFIED', { ...ingressClass, spec: { controller: controllerName } });
    await until(() => releasedPlan !== former);
    await sleep(1_500);
    // As above.
    if (change === 1) blocks.restart();
  }
  const everyRoute = blocks.stop();
  const relists = requests.filter((resource) => watched.has(resource)).length - listed;
  await controller.stop();
  return {
    routes: routeCount,
    ms: rounded(percentile(samples, 0.5)),
    maxMs: rounded(Math.max(...samples)),
    releasedMs: rounded(percentile(released, 0.5)),
    relists,
    mainThreadCpuMs: rounded(percentile(cpu, 0.5)),
    maxBlockMs: rounded(block.wall),
    maxBlockCpuMs: rounded(block.cpu),
    maxCollectorMs: rounded(block.collector),
    everyRoute: {
      maxBlockMs: rounded(everyRoute.wall),
      maxBlockCpuMs: rounded(everyRoute.cpu),
      maxCollectorMs: rounded(everyRoute.collector),
    },
    stages: Object.fromEntries(
      [...stages].map(([stage, times]) => [stage, { ms: rounded(percentile(times, 0.5)) }]),
    ),
  };
}

function configOf(change: number): KubeObject {
  const refs = ['base', 'ingress'].map((name) => ({ name, revision: version }));
  return {
    apiVersion: 'haproxy-haptic.org/v1alpha1',
    kind: 'HAProxyTemplateConfig',
    metadata: { name: 'haproxy-config', namespace: 'haptic', uid: 'config', generation: change + 1 },
    spec: {
      libraryRefs: refs,
      podSelector: { matchLabels: { app: 'haproxy' } },
      templateSnippets: {
        'frontend-http-900-bench': {
          template: `    http-request set-header x-generation ${change}\n`,
        },
      },
    },
  };
}

function versionOf(haproxy: string): string {
  return /version (\S+)/.exec(execFileSync(haproxy, ['-v'], { encoding: 'utf8' }))?.[1] ?? '';
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
