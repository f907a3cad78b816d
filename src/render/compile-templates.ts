import type { TemplateConfig } from '../api/template-config.ts';
import type { Slices } from '../lib/slices.ts';
import type { TemplateEnvironment } from '../templates/create-template-environment.ts';
import { environmentInSlices } from '../templates/environment-in-slices.ts';
import type { RenderProfile } from '../templates/render-profile.ts';
import { bundlePaths } from './bundle-paths.ts';
import { documentsOf } from './documents-of.ts';

type Constants = Readonly<Record<string, unknown>>;

export interface CompileOptions {
  readonly profile?: RenderProfile | undefined;
  /** See `RendererOptions.shippedTemplates`. */
  readonly shipped?: ReadonlyMap<string, string> | undefined;
}

/** What templates see everywhere, besides what their surroundings give. */
export function constantsOf(config: TemplateConfig, given: Constants = {}): Constants {
  return {
    capabilities: {},
    ...given,
    extraContext: config.templatingSettings.extraContext,
    dataplane: config.dataplane,
  };
}

/** All templates of a configuration, compiled and checked. Throws `HAPTIC_ERR_TEMPLATE_INVALID`. */
export function* compileTemplates(
  config: TemplateConfig,
  collections: readonly string[],
  constants: Constants,
  { profile, shipped = new Map() }: CompileOptions = {},
): Slices<TemplateEnvironment> {
  const textOf = (name: string): string | undefined =>
    name === 'haproxyConfig' ? config.haproxyConfig.template : config.templateSnippets[name]?.template;
  const own = new Set([...shipped.keys()].filter((name) => shipped.get(name) === textOf(name)));
  return yield* environmentInSlices({
    isShipped: (name) => own.has(name),
    templates: documentsOf(config).map(({ template, kind, source }) => ({
      name: template,
      document: kind,
      source,
    })),
    snippets: Object.fromEntries(
      Object.entries(config.templateSnippets).map(([name, { template }]) => [name, template]),
    ),
    vocabulary: {
      collections,
      resources: Object.fromEntries(
        Object.entries(config.watchedResources).map(([name, { indexBy }]) => [
          name,
          { indexKeys: indexBy?.length ?? 2 },
        ]),
      ),
    },
    constants,
    folders: bundlePaths(config.dataplane).folders,
    ...(profile && { profile }),
  });
}
