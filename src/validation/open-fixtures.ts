import type { HttpResourceFixture, TemplateConfig } from '../api/template-config.ts';
import { buildWorld, type World } from '../world/build-world.ts';
import type { FixtureObjects } from './fixture-objects.ts';
import { httpFixtures } from './http-fixtures.ts';
import { podFixtures } from './pod-fixtures.ts';

export interface OpenFixturesOptions {
  readonly config: TemplateConfig;
  readonly fixtures: Pick<FixtureObjects, 'objects' | 'pods'>;
  /** What templates may know besides the configuration: `capabilities`. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** What the `http` helper gets. */
  readonly http: readonly HttpResourceFixture[];
  /** Milliseconds, monotonic: measures what is run. Absent: nothing is. */
  readonly profileClock?: () => number;
}

/**
 * A configuration at work on objects that are given: compiled, and with nothing rendered yet. The caller disposes of it.
 *
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_*` with everything that is wrong with the templates
 */
export function openFixtures(options: OpenFixturesOptions): World {
  const { config, fixtures, constants, http, profileClock } = options;
  const world = buildWorld({
    config,
    constants,
    http: httpFixtures(http),
    pods: podFixtures(fixtures.pods),
    ...(profileClock && { profileClock }),
  });
  for (const [name, entries] of fixtures.objects) world.stores.get(name)?.replace(entries);
  return world;
}
