import type { HttpResourceFixture, TemplateConfig } from '../api/template-config.ts';

import { CodedError } from '../lib/coded-error.ts';
import { valuesOf } from '../lib/ordered-map.ts';
import type { Problem } from '../lib/problem.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { ProfileEntry } from '../templates/render-profile.ts';
import { openFixtures } from './open-fixtures.ts';
import { fixtureObjects } from './fixture-objects.ts';

export interface RenderFixturesOptions {
  readonly config: TemplateConfig;
  /** Objects by name in `watchedResources`, or `haproxy-pods`. */
  readonly fixtures: Readonly<Record<string, readonly unknown[]>>;
  /** What templates may know besides the configuration: `capabilities`. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** What the `http` helper gets. */
  readonly http?: readonly HttpResourceFixture[];
  /** Milliseconds, monotonic: measures what is run. Absent: nothing is. */
  readonly profileClock?: () => number;
}

export interface FixtureRender {
  /** Every file of the bundle as text, by path; none where the render failed as a whole. */
  readonly files: ReadonlyMap<string, string>;
  /** What is wrong with single objects. */
  readonly problems: readonly Problem[];
  /** Why the render failed as a whole. */
  readonly error?: string;
  readonly bundle?: Bundle;
  /** Objects that selectors leave out. */
  readonly notes: readonly string[];
  /** What was run, the most expensive first; empty where that was not asked for, or the render failed as a whole. */
  readonly profile: readonly ProfileEntry[];
}

/**
 * One whole render of objects that are given, as if a cluster had them and nothing else: no network, no clock. Templates that do not
 * compile or cannot be run are an `error`, not a rejection.
 *
 * @throws CodedError `HAPTIC_ERR_VALIDATION_FIXTURE` when the objects are no objects of the resources
 */
export function renderFixtures(options: RenderFixturesOptions): Promise<FixtureRender> {
  return Promise.resolve(options).then(renderNow);
}

function renderNow(options: RenderFixturesOptions): FixtureRender {
  const { config, constants = {}, http = [], profileClock } = options;
  const fixtures = fixtureObjects(config, options.fixtures);
  const { notes } = fixtures;
  try {
    const world = openFixtures({ config, fixtures, constants, http, ...(profileClock && { profileClock }) });
    world.graph.advance();
    const bundle = world.renderer.bundle();
    const files = textsOf(bundle);
    const profile = world.renderer.profile();
    world.dispose();
    return { files, problems: bundle.problems, bundle, notes, profile };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { files: new Map(), problems: [], error: error.message, notes, profile: [] };
  }
}

function textsOf({ plan }: Bundle): ReadonlyMap<string, string> {
  return new Map(
    [...valuesOf(plan.files)].map((file) => [file.path, Buffer.concat(file.content()).toString('utf8')]),
  );
}
