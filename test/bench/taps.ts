import { setTimeout as sleep } from 'node:timers/promises';
import { type ControllerProcess, readyControllers } from './lib/controller-processes.ts';
import { clusterClient } from './lib/cluster-client.ts';
import { findLines } from './lib/find-lines.ts';
import { startPace } from './lib/pace.ts';
import { endpointSliceOf, ingressOf, moved, routeOf } from './lib/route-objects.ts';
import { startSandboxProcess } from './lib/sandbox-process.ts';
import { percentile, rounded } from './lib/statistics.ts';
import { openTapReaders } from './lib/tap-readers.ts';

const routeCount = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 500);
const rounds = Number(process.env['HAPTIC_BENCH_ROUNDS'] ?? 4);
const seconds = Number(process.env['HAPTIC_BENCH_SECONDS'] ?? 10);
const readers = 50;
/** So many Ingresses have no Service: a value of the tap `renders` names them, which makes it as large as it gets. */
const problems = 100;
const changesPerSecond = 20;
/** More than the kernel takes in for a reader that does not read. */
const enoughBytes = 6 * 2 ** 20;
const stream = '/debug/stream?tap=renders&tap=deliveries&tap=trace';

type Kind = 'none' | 'slow' | 'reading';
const kinds: readonly Kind[] = ['none', 'slow', 'reading'];

/** What a change costs, on average over a window. */
interface Cost {
  /** From the first change to the acknowledgement: render and delivery. */
  readonly latencyMs: number;
  readonly renderMs: number;
  readonly applyMs: number;
  /** CPU of the controller's main thread for each delivery. */
  readonly cpuMs: number;
}

/**
 * What 50 readers of taps cost the pipeline: the controller under 20 changes of endpoints a second, with no reader, with 50 that never read (and
 * whose connections are full), and with 50 that read all. One after another, in several rounds, since the machine changes too. The ratios are
 * medians over the rounds, of latency or of main-thread CPU for each change, whichever is worse; CPU of 50 that read is what writing to
 * them takes. `dropped`: values that the slow readers lost.
 */
export async function run(): Promise<object> {
  const [line] = findLines();
  if (line === undefined) throw new Error('no HAProxy');
  await using resources = new AsyncDisposableStack();
  const sandbox = await startSandboxProcess(line.path);
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } });
  const routes = Array.from({ length: routeCount }, (_, i) => routeOf(i));
  await cluster.createRoutes(routes, 16);
  for (let i = 0; i < problems; i++) await cluster.create(ingressOf(routeOf(routeCount + i)));
  const [controller] = await readyControllers(sandbox.kubeconfigPath, 1);
  if (controller === undefined) throw new Error('no controller');

  const churn = startPace(1_000 / changesPerSecond, async (turn) => {
    const route = routes[turn % routeCount];
    if (route !== undefined) await cluster.replace(endpointSliceOf(moved(route, turn)));
  });
  await sleep(5_000);
  const costs: Record<Kind, Cost[]> = { none: [], slow: [], reading: [] };
  let dropped = 0;
  for (let round = 0; round < rounds; round++)
    for (const kind of kinds) {
      const measured = await measure(controller, kind);
      costs[kind].push(measured.cost);
      if (kind === 'slow') dropped += measured.dropped;
      if (kind === 'slow' && measured.dropped === 0)
        throw new Error('the slow readers lost nothing: their connections were not full');
      if (kind === 'reading' && measured.dropped > 0) throw new Error('readers that read lost values');
    }
  await churn.stop();
  const ratios = { slow: ratiosOf(costs.slow, costs.none), reading: ratiosOf(costs.reading, costs.none) };
  return {
    ratioSlow: Math.max(ratios.slow.latencyMs, ratios.slow.cpuMs),
    ratioReading: Math.max(ratios.reading.latencyMs, ratios.reading.cpuMs),
    dropped,
    ratios,
    medians: Object.fromEntries(kinds.map((kind) => [kind, medianOf(costs[kind])])),
    changes: churn.done(),
    rounds,
  };
}

async function measure(controller: ControllerProcess, kind: Kind) {
  const droppedBefore = await droppedOf(controller);
  const url = `${controller.url}${stream}`;
  const opened =
    kind === 'none'
      ? undefined
      : await openTapReaders(url, readers, kind === 'slow' ? 'never reading' : 'reading');
  if (kind === 'slow') await fill(url);
  else await sleep(1_000);
  const before = await figures(controller);
  await sleep(seconds * 1_000);
  const after = await figures(controller);
  opened?.close();
  await readersGone(controller);
  const applies = after.applies - before.applies;
  const renderMs = (after.renderMs - before.renderMs) / (after.renders - before.renders);
  const applyMs = (after.applyMs - before.applyMs) / applies;
  const cost: Cost = {
    latencyMs: renderMs + applyMs,
    renderMs,
    applyMs,
    cpuMs: (after.cpuMs - before.cpuMs) / applies,
  };
  // Those that never read are asked for their losses when they are gone.
  return { cost, dropped: (await droppedOf(controller)) - droppedBefore };
}

/** Until as much has gone by as fills a connection that nobody reads: one reader beside counts. */
async function fill(url: string): Promise<void> {
  const counting = await openTapReaders(url, 1, 'reading');
  for (let i = 0; i < 300 && counting.bytes() < enoughBytes; i++) await sleep(100);
  const bytes = counting.bytes();
  counting.close();
  if (bytes < enoughBytes) throw new Error(`only ${bytes} bytes of taps in 30 s`);
  await sleep(500);
}

async function figures(controller: ControllerProcess) {
  const metrics = await controller.metrics();
  const sum = (name: string) =>
    [...metrics]
      .filter(([series]) => series === name || series.startsWith(`${name}{`))
      .reduce((total, [, value]) => total + value, 0);
  return {
    renders: sum('haptic_reconciliation_duration_seconds_count'),
    renderMs: sum('haptic_reconciliation_duration_seconds_sum') * 1_000,
    applies: sum('haptic_deploy_apply_duration_seconds_count'),
    applyMs: sum('haptic_deploy_apply_duration_seconds_sum') * 1_000,
    cpuMs: (await controller.cpuSeconds('main thread')) * 1_000,
  };
}

async function droppedOf(controller: ControllerProcess): Promise<number> {
  return (await controller.metrics()).get('haptic_tap_dropped_total') ?? 0;
}

async function readersGone(controller: ControllerProcess): Promise<void> {
  for (let i = 0; i < 100; i++) {
    if (((await controller.metrics()).get('haptic_tap_readers') ?? 0) === 0) return;
    await sleep(50);
  }
  throw new Error('streams stay open though their readers are gone');
}

const fields = ['latencyMs', 'renderMs', 'applyMs', 'cpuMs'] as const;

function ratiosOf(with_: readonly Cost[], without: readonly Cost[]): Cost {
  return costOf((field) =>
    percentile(
      with_.map((cost, i) => cost[field] / (without[i]?.[field] ?? Number.NaN)),
      0.5,
    ),
  );
}

function medianOf(costs: readonly Cost[]): Cost {
  return costOf((field) =>
    percentile(
      costs.map((cost) => cost[field]),
      0.5,
    ),
  );
}

function costOf(valueOf: (field: (typeof fields)[number]) => number): Cost {
  return Object.fromEntries(fields.map((field) => [field, rounded(valueOf(field), 3)])) as Record<
    (typeof fields)[number],
    number
  >;
}
