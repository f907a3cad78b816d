import { performance } from 'node:perf_hooks';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { createGraph } from '../../src/collections/create-graph.ts';
import type { Collection, Graph, SourceCollection } from '../../src/collections/types.ts';
import { createIngressProjections } from '../../src/projections/ingress/create-ingress-projections.ts';
import type { RouteBackend } from '../../src/projections/model.ts';
import { endpointSlice, ingress, ingressClass, objectKey, service } from '../fixtures/kube-objects.ts';

const sizes = [1_000, 10_000, 50_000];
const warmUps = 300;
const rounds = 40;
const perRound = 25;

interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface World {
  readonly endpointChange: () => void;
  readonly newRoute: () => void;
  readonly routes: number;
  readonly loadMs: number;
}

/**
 * One endpoint change, and one new route, each in a turn of its own, through the shipped Ingress projections and a
 * fragment of text per backend, with 1,000, 10,000 and 50,000 routes present. The sizes take turns, so that noise of the
 * machine meets all alike. `flatness`: p50 at the largest by p50 at the smallest, the worse of both kinds.
 * Also: `firstTurn.<routes>.ms` and `memory` (heap and resident set with all three graphs, in MiB).
 */
export async function run(): Promise<object> {
  const worlds = sizes.map(createWorld);
  const endpointChange = measure(worlds, (world) => world.endpointChange);
  const newRoute = measure(worlds, (world) => world.newRoute);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return Promise.resolve({
    endpointChange,
    newRoute,
    flatness: Math.max(flatnessOf(endpointChange), flatnessOf(newRoute)),
    firstTurn: Object.fromEntries(worlds.map(({ routes, loadMs }) => [routes, { ms: round(loadMs) }])),
    memory: { heapMiB: Math.round(heapUsed / 2 ** 20), rssMiB: Math.round(rss / 2 ** 20) },
  });
}

function createWorld(routes: number): World {
  const graph = createGraph();
  const ingresses = graph.source<KubeObject>('ingresses');
  const ingressClasses = graph.source<KubeObject>('ingressclasses');
  const services = graph.source<KubeObject>('services');
  const endpointslices = graph.source<KubeObject>('endpointslices');
  const model = createIngressProjections(graph, { ingresses, ingressClasses, services, endpointslices });
  const fragments = graph.mapEntries('fragments', model.backends, printBackend);

  put(ingressClasses, ingressClass());
  for (let i = 0; i < routes; i++) {
    put(ingresses, routeTo(i));
    put(services, service({ name: nameOf(i) }));
    put(endpointslices, slice(i, 0));
  }
  const start = performance.now();
  graph.advance();
  const loadMs = performance.now() - start;
  expectSize(fragments, routes);

  let edits = 0;
  let added = routes;
  return {
    routes,
    loadMs,
    endpointChange: () => {
      const i = (edits * 7_919) % routes;
      const object = slice(i, ++edits);
      turn(graph, () => put(endpointslices, object));
    },
    newRoute: () => {
      const name = nameOf(added);
      const objects = [routeTo(added), service({ name }), slice(added, 0)] as const;
      added++;
      turn(graph, () => {
        put(ingresses, objects[0]);
        put(services, objects[1]);
        put(endpointslices, objects[2]);
      });
    },
  };
}

let turnMs = 0;

/** Times the change and its turn, not the making of the objects. */
function turn(graph: Graph, change: () => void): void {
  const start = performance.now();
  change();
  graph.advance();
  turnMs = performance.now() - start;
}

function measure(worlds: readonly World[], pick: (world: World) => () => void): Record<string, Times> {
  const samples = worlds.map((): number[] => []);
  for (const world of worlds) for (let i = 0; i < warmUps; i++) pick(world)();
  for (let i = 0; i < rounds; i++) {
    worlds.forEach((world, at) => {
      for (let j = 0; j < perRound; j++) {
        pick(world)();
        samples[at]?.push(turnMs);
      }
    });
  }
  return Object.fromEntries(worlds.map(({ routes }, at) => [routes, timesOf(samples[at] ?? [])]));
}

function timesOf(samples: readonly number[]): Times {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

function flatnessOf(times: Readonly<Record<string, Times>>): number {
  const largest = times[String(sizes.at(-1))]?.p50Ms ?? Number.NaN;
  const smallest = times[String(sizes[0])]?.p50Ms ?? Number.NaN;
  return round(largest / smallest);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function put(source: SourceCollection<KubeObject>, object: KubeObject): void {
  source.set(objectKey(object), object);
}

function nameOf(i: number): string {
  return `echo-${i}`;
}

/** Ten paths per host, so that hosts are shared. */
function routeTo(i: number): KubeObject {
  const host = `shop-${Math.floor(i / 10)}.example.com`;
  return ingress({
    name: nameOf(i),
    rules: [{ host, paths: [{ path: `/p${i % 10}`, service: nameOf(i) }] }],
  });
}

function slice(i: number, edit: number): KubeObject {
  const address = (n: number) => `10.${n % 200}.${(i >> 8) % 256}.${i % 256}`;
  return endpointSlice({
    service: nameOf(i),
    endpoints: [address(1), address(2), address(3 + (edit % 100))],
  });
}

function printBackend(backend: RouteBackend): string {
  const servers = backend.servers.map(
    (server) => `  server ${server.name} ${server.address}:${server.port} weight ${server.weight} check\n`,
  );
  return `backend ${backend.name} from ${backend.profile}\n${servers.join('')}`;
}

function expectSize(collection: Collection<unknown>, size: number): void {
  if (collection.size !== size)
    throw new Error(`${collection.name} has ${collection.size} entries, not ${size}`);
}
