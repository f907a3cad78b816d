import { apiVersionsOf } from './api-versions-of.ts';
import type { WatchedResource } from './template-config.ts';

/** Something that no watch can be made of. */
export interface WatchFault {
  /** Within the entry: `resources`, `namespaces`, `1`. */
  readonly path: readonly string[];
  /** Goes on after the field. */
  readonly message: string;
}

const apiVersionForm = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?v[a-z0-9]+$/;
const nameForm = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Each has a watch, which holds a connection. */
const maxNamespaces = 64;

/** What of an entry of `watchedResources` could never be asked of an API server. */
export function watchFaults(
  resource: Pick<WatchedResource, 'resources'> & Partial<WatchedResource>,
): readonly WatchFault[] {
  const { apiVersions, namespaces = [], namespaceSelector, resources } = resource;
  const faults: WatchFault[] = [];
  const refuse = (path: readonly string[], message: string): void => {
    faults.push({ path, message });
  };
  if (apiVersionsOf(resource).length === 0) refuse(['apiVersion'], 'is missing');
  apiVersionsOf(resource).forEach((version, index) => {
    if (!apiVersionForm.test(version))
      refuse(
        apiVersions === undefined ? ['apiVersion'] : ['apiVersions', String(index)],
        `is not a group and version such as networking.k8s.io/v1: ${JSON.stringify(version)}`,
      );
  });
  if (!nameForm.test(resources))
    refuse(
      ['resources'],
      `is not the plural name of a kind in lower case, such as ingresses: ${JSON.stringify(resources)}`,
    );
  namespaces.forEach((namespace, index) => {
    if (!nameForm.test(namespace))
      refuse(['namespaces', String(index)], `is no name of a namespace: ${JSON.stringify(namespace)}`);
  });
  if (namespaces.length > maxNamespaces)
    refuse(
      ['namespaces'],
      `names ${namespaces.length} namespaces, each of which would have a watch; more than ${maxNamespaces} can be selected by namespaceSelector`,
    );
  if (resource.namespaces !== undefined && namespaceSelector !== undefined)
    refuse(['namespaceSelector'], 'cannot be set together with namespaces');
  return faults;
}
