import type { HttpResourceFixture, TemplateConfig } from '../../api/template-config.ts';
import { loadConfig } from '../../config/load-config.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { capabilitiesOf } from '../../plan/capabilities.ts';
import { globalTest, mergeGlobal } from '../../validation/merge-global.ts';
import { renderFixtures } from '../../validation/render-fixtures.ts';
import { readLibraries } from '../read-config.ts';
import { version } from '../../lib/version.ts';
import { fixturesOf, readObjects } from './read-objects.ts';
import { renderedSide, type Side } from './side.ts';

type Fixtures = Readonly<Record<string, readonly unknown[]>>;

/** A place that is a file or a folder, read and not rendered yet. */
export interface PathPlace {
  readonly path: string;
  readonly config: TemplateConfig;
  readonly fixtures: Fixtures;
}

/** What is rendered besides the objects of a place itself. */
export interface Ingredients {
  readonly test?: string;
  readonly fixtures: Fixtures;
  readonly http?: readonly HttpResourceFixture[];
}

/**
 * Reads configuration and objects of a path. Kinds that the configuration does not watch are told to `note`.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_READ`, `HAPTIC_ERR_CONFIG_INVALID` naming file and field
 */
export async function readPath(
  path: string,
  libraries: string,
  note: (text: string) => void,
): Promise<PathPlace> {
  const { config: files, objects } = await readObjects(path);
  const config = loadConfig(files, { shipped: await readLibraries(libraries), revision: version });
  const { fixtures, unwatched } = fixturesOf(config, objects);
  if (unwatched.length > 0) note(`${path}: ${unwatched.join(', ')} are not watched and left out`);
  return { path, config, fixtures };
}

/**
 * The objects of validation tests, with what `_global` lends them.
 *
 * @param names those that are asked for; undefined: all
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming one that is not there
 */
export function testIngredients(
  { path, config }: PathPlace,
  names: readonly string[] | undefined,
): readonly Ingredients[] {
  const { validationTests } = config;
  const known = Object.keys(validationTests)
    .filter((name) => name !== globalTest)
    .sort();
  if (known.length === 0) throw new CodedError('HAPTIC_ERR_CLI_USAGE', `${path} has no validation tests`);
  return (names ?? known).map((name) => {
    const test = known.includes(name) ? mergeGlobal(validationTests, name) : undefined;
    if (test === undefined)
      throw new CodedError(
        'HAPTIC_ERR_CLI_USAGE',
        `${path} has no test ${name}; there is ${known.join(', ')}`,
      );
    return { test: name, fixtures: test.fixtures ?? {}, http: test.httpResources ?? [] };
  });
}

/** @throws CodedError `HAPTIC_ERR_CLI_RENDER` when the render fails as a whole */
export async function renderPath(
  { path, config, fixtures }: PathPlace,
  ingredients: Ingredients,
  haproxyVersion: string,
): Promise<Side> {
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: haproxyVersion }, []);
  const render = await renderFixtures({
    config,
    fixtures: merged(ingredients.fixtures, fixtures),
    constants: { capabilities },
    ...(ingredients.http && { http: ingredients.http }),
  });
  const where = ingredients.test === undefined ? path : `${path}, test ${ingredients.test}`;
  if (render.bundle === undefined)
    throw new CodedError(
      'HAPTIC_ERR_CLI_RENDER',
      `${where} cannot be rendered: ${render.error ?? 'no reason is known'}`,
    );
  const { test } = ingredients;
  const facts = { name: path, ...(test !== undefined && { test }), problems: render.problems };
  return renderedSide(facts, render.bundle.plan, haproxyVersion);
}

/** A place's own objects come after the common ones, and take their place under the same name. */
function merged(common: Fixtures, own: Fixtures): Fixtures {
  const names = new Set([...Object.keys(common), ...Object.keys(own)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const keys = new Set((own[name] ?? []).map(identityOf));
      return [
        name,
        [...(common[name] ?? []).filter((object) => !keys.has(identityOf(object))), ...(own[name] ?? [])],
      ];
    }),
  );
}

function identityOf(object: unknown): string {
  const { metadata = {} } = object as {
    readonly metadata?: { readonly name?: string; readonly namespace?: string };
  };
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
