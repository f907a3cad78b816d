import { setTimeout as sleep } from 'node:timers/promises';
import { type ControllerProcess, readyControllers } from './lib/controller-processes.ts';
import { clusterClient } from './lib/cluster-client.ts';
import { findLines } from './lib/find-lines.ts';
import { startPace } from './lib/pace.ts';
import { endpointSliceOf, ingressOf, moved, routeOf } from './lib/route-objects.ts';
import { startSandboxProcess } from './lib/sandbox-process.ts';
import { mean, percentile, rounded } from './lib/statistics.ts';
import { openTapReaders } from './lib/tap-readers.ts';

const routeCount = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 500);
const rounds = Number(process.env['HAPTIC_BENCH_ROUNDS'] ?? 8);
const seconds = Number(process.env['HAPTIC_BENCH_SECONDS'] ?? 6);
const readers = 50;
/** So many Ingresses have no Service: a value of the tap `renders` names them, which makes it as large as it gets. */
const problems = 100;
const changesPerSecond = 20;
/** More than the kernel takes in for a reader that does not read. */
const enoughBytes = 6 * 2 ** 20;
const stream = '/debug/stream?tap=renders&tap=deliveries&tap=trace';

/** `none` and `again` are the same: how they differ is what the machine does. */
type Kind = 'none' | 'slow' | 'again' | 'reading';
const kinds: readonly Kind[] = ['none', 'slow', 'again', 'reading'];

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
 * whose connections are full), with no reader again, and with 50 that read all. One after another, in several rounds, each of which begins
 * with another of them, since the machine changes too. Ratios are medians over the rounds, of latency and of main-thread CPU for each change,
 * to the mean of both windows without readers; `again`: of one window without readers to the other. `ratioSlow`, `ratioReading` and `ratioAgain` are
 * whichever of the two is worse. CPU of 50 that read is what writing to them takes. `noise` is how far two windows without readers were apart, at least
 * and at most, whichever way round: `measurable` tells whether slow readers cost more than the most of that. `dropped`: values that slow readers lost.
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
  const costs: Record<Kind, Cost[]> = { none: [], slow: [], again: [], reading: [] };
  let dropped = 0;
  for (let round = 0; round < rounds; round++)
    for (const kind of [...kinds.slice(round % kinds.length), ...kinds.slice(0, round % kinds.length)]) {
      const measured = await measure(controller, kind);
      costs[kind].push(measured.cost);
      if (kind === 'slow') dropped += measured.dropped;
      if (kind === 'slow' && measured.dropped === 0)
        throw new Error('the slow readers lost nothing: their connections were not full');
      if (kind === 'reading' && measured.dropped > 0) throw new Error('readers that read lost values');
    }
  await churn.stop();
  const alone = costs.none.map((cost, i) =>
    costOf((field) => mean([cost[field], at(costs.again, i)[field]])),
  );
  const ratios = {
    slow: medianOf(ratiosOf(costs.slow, alone)),
    reading: medianOf(ratiosOf(costs.reading, alone)),
    again: medianOf(ratiosOf(costs.again, costs.none)),
  };
  const apart = ratiosOf(costs.again, costs.none).map((ratio) =>
    costOf((field) => Math.max(ratio[field], 1 / ratio[field])),
  );
  const noise = {
    least: costOf((field) => Math.min(...apart.map((ratio) => ratio[field]))),
    most: costOf((field) => Math.max(...apart.map((ratio) => ratio[field]))),
  };
  return {
    ratioSlow: worse(ratios.slow),
    ratioAgain: worse(ratios.again),
    ratioReading: worse(ratios.reading),
    measurable: judged.some((field) => ratios.slow[field] > noise.most[field]),
    dropped,
    ratios,
    noise,
    medians: Object.fromEntries(kinds.map((kind) => [kind, medianOf(costs[kind])])),
    changes: churn.done(),
    rounds,
  };
}

async function measure(controller: ControllerProcess, kind: Kind) {
  const droppedBefore = await droppedOf(controller);
  const url = `${controller.url}${stream}`;
  const opened =
    kind === 'none' || kind === 'again'
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
type Field = (typeof fields)[number];
/** The others are parts of the first. */
const judged = ['latencyMs', 'cpuMs'] as const satisfies readonly Field[];

const worse = (ratio: Cost): number => Math.max(...judged.map((field) => ratio[field]));

/** Round by round. */
function ratiosOf(costs: readonly Cost[], to: readonly Cost[]): readonly Cost[] {
  return costs.map((cost, i) => costOf((field) => cost[field] / at(to, i)[field]));
}

function medianOf(costs: readonly Cost[]): Cost {
  return costOf((field) =>
    percentile(
      costs.map((cost) => cost[field]),
      0.5,
    ),
  );
}

function at(costs: readonly Cost[], round: number): Cost {
  return costs[round] ?? costOf(() => Number.NaN);
}

function costOf(valueOf: (field: Field) => number): Cost {
  return Object.fromEntries(fields.map((field) => [field, rounded(valueOf(field), 3)])) as Record<
    Field,
    number
  >;
}
