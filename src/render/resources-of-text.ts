import { parseAllDocuments } from 'yaml';
import { isRecord } from '../lib/is-record.ts';
import type { Owner } from '../lib/owner.ts';
import type { DeclaredResource } from '../protocol/declared.ts';
import { smallYaml } from '../templates/small-yaml.ts';
import { yamlValue } from '../templates/yaml-value.ts';

/**
 * The Kubernetes objects that a text of YAML documents declares; empty documents are none. A RangeError says what is wrong: no
 * YAML, no object, no apiVersion, kind or name, a status (others write it), or a name that is made by the API. Values are not in it.
 */
export function resourcesOfText(
  text: string,
  from: { readonly owner: Owner; readonly place: string; readonly createOnlyFields: readonly string[] },
): readonly DeclaredResource[] {
  if (text.trim() === '') return [];
  const documents = parseAllDocuments(smallYaml(text), { prettyErrors: false, uniqueKeys: false });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document): DeclaredResource[] => {
    const object = yamlValue(document);
    if (object === null || object === undefined) return [];
    return [declared(object, from)];
  });
}

function declared(
  object: unknown,
  from: Pick<DeclaredResource, 'owner' | 'place' | 'createOnlyFields'>,
): DeclaredResource {
  if (!isRecord(object)) throw new RangeError('a document is no Kubernetes object');
  const { apiVersion, kind, metadata } = object;
  if (!isText(apiVersion) || !isText(kind)) throw new RangeError('an object has no apiVersion or no kind');
  const { name, namespace = '' } = isRecord(metadata) ? metadata : {};
  if (!isText(name)) throw new RangeError(`a ${kind} has no metadata.name, or one that is no text`);
  if (typeof namespace !== 'string') throw new RangeError(`metadata.namespace of ${kind} ${name} is no text`);
  if ('status' in object) throw new RangeError(`${kind} ${name} has a status: use statusPatch`);
  return { reference: { apiVersion, kind, namespace, name }, object, ...from };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
