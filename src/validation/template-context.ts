import type { TemplateConfig } from '../api/template-config.ts';
import { valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import { fixtureObjects } from './fixture-objects.ts';
import type { FixtureRender } from './render-fixtures.ts';

/**
 * What templates could see in a test, as data: the root of `jsonpath` assertions. `resources` has a list for every watched resource,
 * in the order of the objects' keys. And what came of the render: `files` by path, and what it declares besides.
 */
export function templateContext(
  config: TemplateConfig,
  fixtures: Readonly<Record<string, readonly unknown[]>>,
  constants: Readonly<Record<string, unknown>>,
  { files, bundle }: Pick<FixtureRender, 'files' | 'bundle'>,
): Readonly<Record<string, unknown>> {
  const { objects, pods } = fixtureObjects(config, fixtures);
  const resources = Object.keys(config.watchedResources).map((name) => {
    const held = [...(objects.get(name) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return [name, held.map(([, object]) => object)] as const;
  });
  return {
    ...constants,
    resources: Object.fromEntries(resources),
    controller: { haproxyPods: pods },
    extraContext: config.templatingSettings.extraContext,
    dataplane: config.dataplane,
    templateSnippets: Object.keys(config.templateSnippets).sort(),
    files: Object.fromEntries(files),
    k8sResources: valuesIn(bundle?.resources).map(({ object }) => object),
    statusPatches: valuesIn(bundle?.statusPatches).map(({ target, variants }) => ({ target, ...variants })),
    events: valuesIn(bundle?.events).map(({ about, type, reason, message }) => ({
      about,
      type,
      reason,
      message,
    })),
  };
}

function valuesIn<V>(map: OrderedMap<V> | undefined): readonly V[] {
  return map === undefined ? [] : [...valuesOf(map)];
}
