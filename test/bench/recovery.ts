import pino from 'pino';
import { of } from 'rxjs';
import { librariesPath } from '../../src/cli/libraries-path.ts';
import { readConfig } from '../../src/cli/read-config.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import { decodeOutputs } from '../../src/plan/decode-outputs.ts';
import { decodePlan } from '../../src/plan/decode-plan.ts';
import { encodePlan } from '../../src/plan/encode-plan.ts';
import type { Bundle } from '../../src/protocol/bundle.ts';
import { configChecksum } from '../../src/sinks/retained/config-checksum.ts';
import { decodeArchive, encodeArchive } from '../../src/sinks/retained/retained-archive.ts';
import { acceptingAgent } from './lib/accepting-agent.ts';
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
const times = Number(process.env['HAPTIC_BENCH_CHANGES'] ?? 7);

/**
 * What a controller does with the plan of 10,000 Ingresses that a pod kept for it, or that was retained in the cluster, and what it does to write them
 * down: the longest turn on the main thread, in milliseconds of CPU, of each, the first time (code that was never run before) and
 * later (the median); and all of it. `maxBlockCpuMs` is the longest turn of them all.
 */
export async function run(): Promise<object> {
  const bundle = await renderedBundle();
  const { plan, provenance } = bundle;
  if (provenance === undefined) throw new Error('the render has no outputs');
  const blob = await encodePlan(plan, undefined, provenance);
  const planBlob = await encodePlan(plan);
  const checksum = await configChecksum(plan);
  if (blob === undefined || planBlob === undefined || checksum === undefined)
    throw new Error('the plan has no blob');
  const archive = await encodeArchive(plan, planBlob);
  const measured = {
    encodePlan: await measure(() => encodePlan(plan, undefined, provenance)),
    encodeArchive: await measure(() => encodeArchive(plan, planBlob)),
    decodePlan: await measure(async () => {
      const decoded = await decodePlan(blob);
      if (decoded.kind === 'unusable' || decoded.plan.id !== plan.id) throw new Error('it is another plan');
    }),
    decodeOutputs: await measure(async () => {
      const outputs = await decodeOutputs(blob);
      if (outputs?.outputs.size !== provenance.outputs.size) throw new Error('outputs are missing');
    }),
    decodeArchive: await measure(() => decodeArchive(archive, { planId: plan.id, checksum })),
  };
  return {
    routes: routeCount,
    maxBlockCpuMs: Math.max(
      ...Object.values(measured).map(({ first, maxBlockCpuMs }) => Math.max(first, maxBlockCpuMs)),
    ),
    ...measured,
    blobBytes: blob.byteLength,
    archiveBytes: archive.byteLength,
  };
}

async function measure(work: () => Promise<unknown>) {
  const longest: number[] = [];
  const cpu: number[] = [];
  const ms: number[] = [];
  for (let i = 0; i <= times; i++) {
    globalThis.gc?.();
    const blocks = watchBlocks();
    await new Promise((resolve) => setImmediate(resolve));
    blocks.restart();
    const before = process.threadCpuUsage();
    const started = performance.now();
    await work();
    ms.push(performance.now() - started);
    const { user, system } = process.threadCpuUsage(before);
    cpu.push((user + system) / 1_000);
    await new Promise((resolve) => setImmediate(resolve));
    longest.push(blocks.stop().cpu);
  }
  const median = (samples: readonly number[]) => rounded(percentile(samples.slice(1), 0.5));
  return {
    first: rounded(longest[0] ?? Number.NaN),
    blockCpuMs: median(longest),
    maxBlockCpuMs: rounded(Math.max(...longest.slice(1))),
    cpuMs: median(cpu),
    ms: median(ms),
  };
}

/** The product's own render, by a controller of which nothing is left afterwards. */
async function renderedBundle(): Promise<Bundle> {
  const routes = Array.from({ length: routeCount }, (_, i) => routeOf(i));
  const api = scriptedApi({
    ingressclasses: [ingressClass],
    ingresses: routes.map(ingressOf),
    services: routes.map(serviceOf),
    endpointslices: routes.map(endpointSliceOf),
    pods: [haproxyPod('10.255.0.1', 0)],
  });
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: '3.4.0' }, []);
  const { promise, resolve } = Promise.withResolvers<Bundle>();
  const controller = startController({
    config: await readConfig(librariesPath(import.meta.url), []),
    transport: api.transport,
    client: acceptingAgent(),
    check: (plan) => of({ kind: 'accepted', planId: plan.id, warnings: [] }),
    capabilities,
    watchTimeoutSeconds: 290,
    log: pino({ level: 'silent' }),
    parts: [
      ({ bundle$ }) =>
        bundle$.subscribe((bundle) => {
          if (bundle.plan.backends.size >= routeCount) resolve(bundle);
        }),
    ],
    onFatal: (error) => {
      throw error;
    },
  });
  const bundle = await promise;
  await controller.stop();
  return bundle;
}
