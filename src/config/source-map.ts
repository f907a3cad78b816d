import { originField, originName, type ConfigDocument } from './config-document.ts';
import { valueAt } from './value-at.ts';

export type SourceKind =
  'snippet' | 'config' | 'map' | 'file' | 'certificate' | 'crtList' | 'k8sResource' | 'resource' | 'test';

/** Which document of a configuration has the last word about a part of it. */
export interface SourceMap {
  /**
   * The place of a named part, as messages name it: `library base/snippet frontends-500`, `spec.templateSnippets.x`,
   * `values.yaml/map host.map`. Of what no document has, its field.
   */
  readonly sourceOf: (kind: SourceKind, name: string) => string;
  /** The same by the name that errors of templates carry: `haproxyConfig`, `maps/host.map`, or the name of a snippet. */
  readonly sourceOfTemplate: (template: string) => string;
}

/** Field of each kind; the configuration file is one, the others are maps by name. */
const fields: Readonly<Record<SourceKind, string>> = {
  snippet: 'templateSnippets',
  config: 'haproxyConfig',
  map: 'maps',
  file: 'files',
  certificate: 'sslCertificates',
  crtList: 'crtLists',
  k8sResource: 'k8sResources',
  resource: 'watchedResources',
  test: 'validationTests',
};

/** @param documents lowest first, as they were merged */
export function createSourceMap(documents: readonly ConfigDocument[]): SourceMap {
  const sourceOf = (kind: SourceKind, name: string): string => {
    const path = kind === 'config' ? ['haproxyConfig'] : [fields[kind], name];
    const owner = documents.findLast(({ spec }) => valueAt(spec, path) !== undefined);
    if (owner === undefined) return path.join('.');
    if (owner.origin.kind === 'object') return originField(owner.origin, path.join('.'));
    return `${originName(owner.origin)}/${kind === 'config' ? 'haproxyConfig' : `${kind} ${name}`}`;
  };
  return {
    sourceOf,
    sourceOfTemplate: (template) => {
      if (template === 'haproxyConfig') return sourceOf('config', '');
      const slash = template.indexOf('/');
      const kind = kindOfField(template.slice(0, Math.max(slash, 0)));
      return kind === undefined ? sourceOf('snippet', template) : sourceOf(kind, template.slice(slash + 1));
    },
  };
}

function kindOfField(field: string): SourceKind | undefined {
  const found = Object.entries(fields).find(([, name]) => name === field)?.[0];
  return documentKinds.find((kind) => kind === found);
}

const documentKinds: readonly SourceKind[] = ['map', 'file', 'certificate', 'crtList', 'k8sResource'];
