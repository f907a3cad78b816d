import { isRecord } from '../lib/is-record.ts';

type Spec = Readonly<Record<string, unknown>>;

/** Of these fields of a watched resource only one counts: who sets one takes back what a lower one said with another. */
const choices: Readonly<Record<string, string>> = {
  apiVersion: 'apiVersions',
  apiVersions: 'apiVersion',
  namespaces: 'namespaceSelector',
  namespaceSelector: 'namespaces',
};

/** The upper over the lower: objects are merged field by field, lists and values replaced. Neither is changed. */
export function mergeSpecs(lower: Spec, upper: Spec): Spec {
  return merge(lower, upper, []);
}

function merge(lower: Spec, upper: Spec, path: readonly string[]): Spec {
  const merged = new Map(Object.entries(lower));
  if (path.length === 2 && path[0] === 'watchedResources')
    for (const field of Object.keys(upper)) {
      const other = Object.hasOwn(choices, field) ? choices[field] : undefined;
      if (other !== undefined) merged.delete(other);
    }
  for (const [key, value] of Object.entries(upper)) {
    const held = merged.get(key);
    merged.set(key, isRecord(held) && isRecord(value) ? merge(held, value, [...path, key]) : value);
  }
  return Object.fromEntries(merged);
}
