import type { KubeObject } from '../api/kube-object.ts';
import type { WatchedResource } from '../api/template-config.ts';
import { parseFieldSelector } from '../lib/field-selector.ts';
import { parseLabelSelector } from '../lib/label-selector.ts';

/**
 * Why a resource does not watch an object: its selectors, judged as the watch does. `undefined`: it does. A `namespaceSelector` looks at
 * the labels of `namespaces`; an object of a namespace that is not among them is not selected.
 *
 * @param name in `watchedResources`, for errors
 * @throws CodedError `HAPTIC_ERR_CONFIG_LABEL_SELECTOR`, `HAPTIC_ERR_CONFIG_FIELD_SELECTOR`
 */
export function watchFilter(
  name: string,
  { labelSelector, fieldSelector, namespaces: allowed, namespaceSelector }: WatchedResource,
  namespaces: readonly KubeObject[],
): (object: KubeObject) => string | undefined {
  const field = (of: string): string => `watchedResources.${name}.${of}`;
  const labels =
    labelSelector === undefined ? undefined : parseLabelSelector(labelSelector, field('labelSelector'));
  const fields =
    fieldSelector === undefined ? undefined : parseFieldSelector(fieldSelector, field('fieldSelector'));
  const ofNamespaces =
    namespaceSelector === undefined
      ? undefined
      : parseLabelSelector(namespaceSelector, field('namespaceSelector'));
  const labelsOf = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));

  return (object) => {
    const { namespace = '', labels: own } = object.metadata;
    if (labels?.matches(own) === false) return `labelSelector ${labels.text}`;
    if (fields?.matches(object) === false) return `fieldSelector ${fields.text}`;
    if (allowed?.includes(namespace) === false) return `namespaces ${allowed.join(', ')}`;
    if (ofNamespaces === undefined || namespace === '') return undefined;
    const there = labelsOf.get(namespace);
    return there !== undefined && ofNamespaces.matches(there)
      ? undefined
      : `namespaceSelector ${ofNamespaces.text}`;
  };
}
