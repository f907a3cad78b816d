import type { KubeObject } from '../api/kube-object.ts';
import { isReference } from '../api/object-reference.ts';
import { type OnDemandObjects, readOnDemand } from '../collections/read-on-demand.ts';
import type { Reader } from '../collections/types.ts';
import type { TrackedReads } from '../templates/run.ts';

/** A watched resource whose collection holds references. */
export type OnDemandResource = OnDemandObjects<KubeObject>;

/** The reads of one run of a projector. */
export interface OnDemandReads {
  /** The objects that these stand for, as far as they still exist. Throws when one has to be read first. */
  whole(resource: string, objects: readonly KubeObject[]): readonly KubeObject[];
  /** A read threw since an object is not there yet: the run says nothing. */
  isPending(): boolean;
  /** The run came to its end: what it read need not be held for it any longer. */
  done(): void;
}

/**
 * Turns references into objects. What is not held is asked for, all that a call needs at once, and the run ends without a result; it
 * is run again when an answer is there. An object that changed is given as it was until the new state was read. One that cannot
 * be read is an error of who needs it, or a warning if a former state is held.
 */
export function onDemandReads(
  reader: Reader,
  resources: Readonly<Record<string, OnDemandResource>>,
  warn: TrackedReads['warn'],
): OnDemandReads {
  const read: (readonly [OnDemandResource, string])[] = [];
  let pending = false;

  const wholeOf = (
    name: string,
    resource: OnDemandResource,
    reference: KubeObject,
  ): KubeObject | 'gone' | 'pending' => {
    if (!isReference(reference)) return reference;
    const { namespace, name: object, resourceVersion } = reference.metadata;
    const key = namespace === undefined ? object : `${namespace}/${object}`;
    const found = readOnDemand(reader, resource, key, resourceVersion);
    if (found.kind === 'gone' || found.kind === 'pending') return found.kind;
    const words = found.failure === undefined ? undefined : `${name} ${key} cannot be read: ${found.failure}`;
    if (found.kind === 'failed') throw new RangeError(words);
    if (words !== undefined)
      warn({ message: `${words}; its former state is used`, field: '', reason: 'ObjectUnreadable' });
    read.push([resource, key]);
    return found.value;
  };

  return {
    whole: (name, objects) => {
      const resource = resources[name];
      if (resource === undefined) return objects;
      const found = objects.map((object) => wholeOf(name, resource, object));
      if (found.includes('pending')) {
        pending = true;
        throw new RangeError(`${name}: not all objects were read yet`);
      }
      return found.filter((object) => object !== 'gone' && object !== 'pending');
    },
    isPending: () => pending,
    done: () => {
      for (const [{ cache }, key] of read) cache.used([key]);
    },
  };
}
