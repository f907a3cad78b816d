import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig, ValidationTest } from '../api/template-config.ts';
import { valuesOf } from '../lib/ordered-map.ts';
import type { ProfileEntry } from '../templates/render-profile.ts';
import type { World } from '../world/build-world.ts';
import { fixtureObjects, type FixtureObjects } from './fixture-objects.ts';
import { openFixtures } from './open-fixtures.ts';
import { testConfig, testConstants } from './test-config.ts';

/** Milliseconds. */
export interface Timing {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** What rendering the objects of one test costs. */
export interface TestBenchmark {
  readonly testName: string;
  readonly objects: number;
  /** From the configuration to templates that can run. */
  readonly compileMs: Timing;
  /** From objects in the stores to the whole bundle. */
  readonly renderMs: Timing;
  /** From one changed object to the next bundle; absent without objects. */
  readonly changeMs?: Timing;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly includeStats?: readonly ProfileEntry[];
}

export interface BenchmarkOptions {
  readonly config: TemplateConfig;
  readonly name: string;
  /** With what `_global` lends it. */
  readonly test: ValidationTest;
  readonly iterations: number;
  readonly profile: boolean;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** Objects that are changed, one after the other, in one iteration. */
const maxChanges = 100;

/**
 * Renders a test once to warm up, and then `iterations` times, each from nothing; after each, its objects are touched one by one, and
 * rendered anew.
 *
 * @throws CodedError when its fixtures are no objects or the templates cannot be run
 */
export function benchmarkTest({
  config,
  name,
  test,
  iterations,
  profile,
  now,
}: BenchmarkOptions): TestBenchmark {
  const ofTest = testConfig(config, test);
  const fixtures = fixtureObjects(ofTest, test.fixtures ?? {});
  const constants = testConstants(test, undefined);
  const open = (profileClock?: () => number): World =>
    openFixtures({
      config: ofTest,
      fixtures,
      constants,
      http: test.httpResources ?? [],
      ...(profileClock && { profileClock }),
    });
  const timed = <T>(times: number[], work: () => T): T => {
    const begun = now();
    const result = work();
    times.push(now() - begun);
    return result;
  };
  const compiles: number[] = [];
  const renders: number[] = [];
  const changes: number[] = [];
  const warm = open();
  render(warm);
  warm.dispose();
  let files: TestBenchmark['files'] = [];
  for (let iteration = 0; iteration < iterations; iteration++) {
    const world = timed(compiles, () => open());
    const { plan } = timed(renders, () => render(world));
    files = [...valuesOf(plan.files)].map(({ path, size }) => ({ path, bytes: size }));
    for (const touch of touches(world, fixtures)) {
      touch(iteration);
      timed(changes, () => render(world));
    }
    world.dispose();
  }
  return {
    testName: name,
    objects: [...fixtures.objects.values()].reduce((sum, { size }) => sum + size, 0),
    compileMs: timingOf(compiles),
    renderMs: timingOf(renders),
    ...(changes.length === 0 ? {} : { changeMs: timingOf(changes) }),
    files,
    ...(profile ? { includeStats: profileOf(open(now)) } : {}),
  };
}

/** Times are distorted where everything is measured, so that nothing else is measured then. */
function profileOf(world: World): readonly ProfileEntry[] {
  render(world);
  const entries = world.renderer.profile();
  world.dispose();
  return entries;
}

function render({ graph, renderer }: World): ReturnType<World['renderer']['bundle']> {
  graph.advance();
  return renderer.bundle();
}

function touches(world: World, { objects }: FixtureObjects): readonly ((turn: number) => void)[] {
  return [...objects]
    .flatMap(([name, entries]) =>
      [...entries].map(([key, object]) => (turn: number) => {
        world.stores.get(name)?.set(key, touched(object, turn));
      }),
    )
    .slice(0, maxChanges);
}

function touched(object: KubeObject, turn: number): KubeObject {
  const annotations = { ...object.metadata.annotations, 'haproxy-haptic.org/benchmark': String(turn) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function timingOf(times: readonly number[]): Timing {
  const sorted = [...times].sort((a, b) => a - b).map((time) => Math.round(time * 1000) / 1000);
  const at = (index: number): number => sorted[index] ?? 0;
  return { min: at(0), median: at(Math.floor(sorted.length / 2)), max: at(sorted.length - 1) };
}
