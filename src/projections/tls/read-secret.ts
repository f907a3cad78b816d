import type { KubeObject } from '../../api/kube-object.ts';
import { isReference } from '../../api/object-reference.ts';
import { pendingEntry } from '../../collections/pending-entry.ts';
import { readOnDemand } from '../../collections/read-on-demand.ts';
import type { Reader } from '../../collections/types.ts';
import { problemError } from '../problem-error.ts';
import { secretKey } from './secret-key.ts';
import type { SecretRef } from './secret-ref.ts';
import type { SecretSource } from './secret-source.ts';

/**
 * A Secret as a whole, read from the API where only references are held; undefined: there is none. Throws as long as nobody knows, and
 * when it cannot be read: what was made of it before stays.
 */
export function readSecret(
  reader: Reader,
  { secrets, onDemand }: SecretSource,
  ref: SecretRef,
): KubeObject | undefined {
  const key = secretKey(ref);
  const object = reader.read(secrets, key);
  if (object === undefined || !isReference(object)) return object;
  const found =
    onDemand === undefined
      ? ({ kind: 'pending' } as const)
      : readOnDemand(reader, onDemand, key, object.metadata.resourceVersion);
  if (found.kind === 'pending') throw pendingEntry(`Secret ${key}`);
  if (found.kind === 'gone') return undefined;
  const owner = { kind: 'Secret', namespace: ref.namespace, name: ref.name };
  const unreadable = (message: string, severity: 'error' | 'warning') =>
    ({ severity, reason: 'ObjectUnreadable', field: '', message, owner }) as const;
  if (found.kind === 'failed') throw problemError(unreadable(`cannot be read: ${found.failure}`, 'error'));
  if (found.failure !== undefined)
    reader.report(unreadable(`cannot be read: ${found.failure}; its former state is used`, 'warning'));
  onDemand?.cache.used([key]);
  return found.value;
}
