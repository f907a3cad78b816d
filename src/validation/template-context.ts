import type { TemplateConfig } from '../api/template-config.ts';
import { fixtureObjects } from './fixture-objects.ts';

/**
 * What templates could see in a test, as data: the root of `jsonpath` assertions. `resources` has a list for every watched resource,
 * in the order of the objects' keys.
 */
export function templateContext(
  config: TemplateConfig,
  fixtures: Readonly<Record<string, readonly unknown[]>>,
  constants: Readonly<Record<string, unknown>>,
  files: ReadonlyMap<string, string>,
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
  };
}
