import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';

/** An object of a rendered chart: it says what it is. */
export interface Manifest extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The objects of what `helm template` prints, those of Lists too. What is no object of Kubernetes is left out: helm prints comments and empty
 * documents for templates that are off.
 *
 * @throws Error of the parser, which names the line
 */
export function readManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return objectsOf(document.toJS());
  });
}

function objectsOf(value: unknown): readonly Manifest[] {
  if (!isRecord(value)) return [];
  if (value['kind'] === 'List' && Array.isArray(value['items'])) return value['items'].flatMap(objectsOf);
  return isManifest(value) ? [value] : [];
}

function isManifest(value: Readonly<Record<string, unknown>>): value is Manifest {
  const { apiVersion, kind, metadata } = value;
  return (
    typeof apiVersion === 'string' &&
    typeof kind === 'string' &&
    isRecord(metadata) &&
    typeof metadata['name'] === 'string'
  );
}

/** `Deployment haptic/haptic-controller`, `IngressClass haproxy` */
export function manifestName({ kind, metadata }: Pick<Manifest, 'kind' | 'metadata'>): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** Hooks are made and deleted by helm around an install; they are no part of the release. */
export function isHook({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined;
}

/** Whether Helm sends the object at all: hooks of other occasions, tests among them, are left out. */
export function isSent({ metadata }: KubeObject, occasion: 'install' | 'upgrade'): boolean {
  const hooks = metadata.annotations?.['helm.sh/hook'];
  if (hooks === undefined) return true;
  return hooks
    .split(',')
    .some((hook) => [`pre-${occasion}`, `post-${occasion}`, 'crd-install'].includes(hook.trim()));
}
