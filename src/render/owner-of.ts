import type { Owner } from '../lib/owner.ts';
import { isRecord } from '../lib/is-record.ts';

/** Whom an item of a collection belongs to: its `owner`, itself if it is a Kubernetes object, else the entry of that collection. */
export function ownerOfItem(item: unknown, key: string, collection: string): Owner {
  if (!isRecord(item)) return { kind: collection, namespace: '', name: key };
  const { owner, metadata, kind } = item;
  if (isRecord(owner) && typeof owner['kind'] === 'string' && typeof owner['name'] === 'string')
    return { kind: owner['kind'], namespace: textOr(owner['namespace'], ''), name: owner['name'] };
  if (isRecord(metadata) && typeof metadata['name'] === 'string')
    return {
      kind: textOr(kind, collection),
      namespace: textOr(metadata['namespace'], ''),
      name: metadata['name'],
    };
  return { kind: collection, namespace: '', name: key };
}

/** The owner of what the templates print by themselves. */
export function templateOwner(template: string): Owner {
  return { kind: 'Template', namespace: '', name: template };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
