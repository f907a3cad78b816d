import type { TemplateConfig } from '../api/template-config.ts';
import type { DocumentKind } from '../templates/vocabulary.ts';
import { bundlePaths } from './bundle-paths.ts';

/** A file that a template of the configuration makes. */
export interface RenderDocument {
  readonly kind: DocumentKind;
  /** Path in the bundle. */
  readonly path: string;
  /** Name of its template in errors: `haproxyConfig`, `maps/host.map`. */
  readonly template: string;
  readonly source: string;
  /** Maps: whether the order of entries counts. */
  readonly ordered: boolean;
  readonly reloadOnChange: boolean;
}

/** The configuration file first, then maps and files by name. */
export function documentsOf(config: TemplateConfig): readonly RenderDocument[] {
  const paths = bundlePaths(config.dataplane);
  const common = { ordered: false, reloadOnChange: false };
  const root: RenderDocument = {
    ...common,
    kind: 'config',
    path: 'haproxy.cfg',
    template: 'haproxyConfig',
    source: config.haproxyConfig.template,
  };
  const maps = sorted(config.maps).map(([name, { template, ordered }]): RenderDocument => ({
    ...common,
    kind: 'map',
    path: paths.map(name),
    template: `maps/${name}`,
    source: template,
    ordered: ordered ?? true,
  }));
  const files = sorted(config.files).map(([name, { template, reloadOnPush }]): RenderDocument => ({
    ...common,
    kind: 'file',
    path: paths.file(name),
    template: `files/${name}`,
    source: template,
    reloadOnChange: reloadOnPush ?? true,
  }));
  return [root, ...maps, ...files];
}

function sorted<V>(record: Readonly<Record<string, V>>): [string, V][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
