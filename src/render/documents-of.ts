import type { PostProcessing, TemplateConfig } from '../api/template-config.ts';
import type { DocumentKind } from '../templates/vocabulary.ts';
import { posix } from 'node:path';
import { bundlePaths } from './bundle-paths.ts';

/** A file that a template of the configuration makes. */
export interface RenderDocument {
  readonly kind: DocumentKind;
  /** Path in the bundle; empty for what becomes no file. */
  readonly path: string;
  /** Name of its template in errors: `haproxyConfig`, `maps/host.map`. */
  readonly template: string;
  readonly source: string;
  /** Maps: whether the order of entries counts. */
  readonly ordered: boolean;
  readonly reloadOnChange: boolean;
  readonly postProcessing: readonly PostProcessing[];
  /** Resources: see `DeclaredResource`. */
  readonly createOnlyFields: readonly string[];
}

/** The configuration file first, then maps, files, certificates, crt-lists and Kubernetes objects, each by name. */
export function documentsOf(config: TemplateConfig): readonly RenderDocument[] {
  const paths = bundlePaths(config.dataplane);
  const common = { ordered: false, reloadOnChange: false, postProcessing: [], createOnlyFields: [] };
  const root: RenderDocument = {
    ...common,
    kind: 'config',
    path: 'haproxy.cfg',
    template: 'haproxyConfig',
    source: config.haproxyConfig.template,
    postProcessing: config.haproxyConfig.postProcessing ?? [],
  };
  const maps = sorted(config.maps).map(
    ([name, { template, ordered, postProcessing = [] }]): RenderDocument => ({
      ...common,
      kind: 'map',
      path: paths.map(name),
      template: `maps/${name}`,
      source: template,
      ordered: ordered ?? true,
      postProcessing,
    }),
  );
  const files = sorted(config.files).map(
    ([name, { template, reloadOnPush, postProcessing = [] }]): RenderDocument => ({
      ...common,
      kind: 'file',
      path: paths.file(name),
      template: `files/${name}`,
      source: template,
      reloadOnChange: reloadOnPush ?? true,
      postProcessing,
    }),
  );
  const certificates = sorted(config.sslCertificates).map(
    ([name, { template, postProcessing = [] }]): RenderDocument => ({
      ...common,
      kind: 'certificate',
      path: posix.join(paths.certificates, name),
      template: `sslCertificates/${name}`,
      source: template,
      postProcessing,
    }),
  );
  const crtLists = sorted(config.crtLists).map(
    ([name, { template, postProcessing = [] }]): RenderDocument => ({
      ...common,
      kind: 'crt-list',
      path: posix.join(paths.certificates, name),
      template: `crtLists/${name}`,
      source: template,
      postProcessing,
    }),
  );
  const resources = sorted(config.k8sResources).map(
    ([name, { template, createOnlyFields = [], postProcessing = [] }]): RenderDocument => ({
      ...common,
      kind: 'resource',
      path: '',
      template: `k8sResources/${name}`,
      source: template,
      postProcessing,
      createOnlyFields,
    }),
  );
  return [root, ...maps, ...files, ...certificates, ...crtLists, ...resources];
}

function sorted<V>(record: Readonly<Record<string, V>>): [string, V][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
