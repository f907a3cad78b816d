import { parseAllDocuments, type Document } from 'yaml';
import { errorMessage } from '../lib/error-message.ts';
import { isRecord } from '../lib/is-record.ts';
import type { ConfigError } from './config-error.ts';
import type { LibraryFile } from './library-file.ts';

/** What one YAML document of a file is. */
export type ReadDocument =
  | { readonly kind: 'spec'; readonly file: string; readonly spec: unknown }
  | {
      readonly kind: 'config';
      readonly file: string;
      readonly namespace: string;
      readonly name: string;
      readonly spec: unknown;
    }
  | {
      readonly kind: 'library';
      readonly file: string;
      readonly name: string;
      readonly revision: string;
      readonly spec: unknown;
    };

const group = 'haproxy-haptic.org/';

/**
 * The documents of a file: a bare `spec`, or objects of haproxy-haptic.org, as `kubectl get -o yaml` prints them. Empty ones are left
 * out. What is wrong goes to `errors`, with its line.
 */
export function readDocuments({ name, text }: LibraryFile, errors: ConfigError[]): readonly ReadDocument[] {
  const refuse = (message: string, field = ''): void => void errors.push({ source: name, field, message });
  let documents: readonly Document[];
  try {
    documents = parseAllDocuments(text, { prettyErrors: true });
  } catch (error) {
    // A parser by recursion ends on a text that is nested without end.
    refuse(`cannot be read: ${errorMessage(error)}`);
    return [];
  }
  return documents.flatMap((document) => {
    for (const error of document.errors) refuse(error.message.replace(/:?\n[\s\S]*$/, ''));
    if (document.errors.length > 0) return [];
    const content = contentOf(document, refuse);
    if (content === undefined || content === null) return [];
    if (!isRecord(content)) {
      refuse('an object is expected');
      return [];
    }
    if (!('kind' in content)) return [{ kind: 'spec', file: name, spec: content }];
    return objectOf(name, content, refuse);
  });
}

function contentOf(document: Document, refuse: (message: string) => void): unknown {
  try {
    return document.toJS();
  } catch (error) {
    refuse(`cannot be read: ${errorMessage(error)}`);
    return undefined;
  }
}

function objectOf(
  file: string,
  { apiVersion, kind, metadata, spec }: Readonly<Record<string, unknown>>,
  refuse: (message: string, field?: string) => void,
): readonly ReadDocument[] {
  const { name, namespace } = isRecord(metadata) ? metadata : {};
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith(group)) {
    refuse(`is ${JSON.stringify(apiVersion)}: objects of ${group}v1alpha1 are expected here`, 'apiVersion');
    return [];
  }
  if (typeof name !== 'string' || name === '') {
    refuse('is missing', 'metadata.name');
    return [];
  }
  if (kind === 'HAProxyTemplateConfig')
    return [
      {
        kind: 'config',
        file,
        name,
        namespace: typeof namespace === 'string' ? namespace : '',
        spec: spec ?? {},
      },
    ];
  if (kind === 'HAProxyTemplateLibrary') {
    const { revision, ...rest } = isRecord(spec) ? spec : {};
    if (typeof revision === 'string') return [{ kind: 'library', file, name, revision, spec: rest }];
    refuse(`of HAProxyTemplateLibrary ${name} is missing`, 'spec.revision');
    return [];
  }
  refuse(`is ${JSON.stringify(kind)}: HAProxyTemplateConfig or HAProxyTemplateLibrary is expected`, 'kind');
  return [];
}
