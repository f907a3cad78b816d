import type { KubeObject } from '../api/kube-object.ts';
import { isReference } from '../api/object-reference.ts';
import type { Arrival, OnDemandCache } from '../collections/on-demand-cache.ts';
import type { Collection, Reader } from '../collections/types.ts';
import type { TrackedReads } from '../templates/run.ts';

/** A watched resource whose collection holds references: what became of reading its objects, and the objects. */
export interface OnDemandResource {
  readonly arrivals: Collection<Arrival>;
  readonly cache: Pick<OnDemandCache<KubeObject>, 'look' | 'want' | 'used'>;
}

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
    const arrival = reader.read(resource.arrivals, key);
    if (arrival?.kind === 'gone' && arrival.version === resourceVersion) return 'gone';
    const held = resource.cache.look(key, resourceVersion);
    if (held?.isFresh === true) {
      read.push([resource, key]);
      return held.value;
    }
    resource.cache.want(key, resourceVersion);
    const words =
      arrival?.kind === 'failed' ? `${name} ${key} cannot be read: ${arrival.message}` : undefined;
    if (held === undefined) {
      if (words !== undefined) throw new RangeError(words);
      return 'pending';
    }
    if (words !== undefined)
      warn({ message: `${words}; its former state is used`, field: '', reason: 'ObjectUnreadable' });
    read.push([resource, key]);
    return held.value;
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
