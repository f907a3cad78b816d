import type { Collection, Graph } from '../../collections/types.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Owner } from '../../lib/owner.ts';
import { creationTime } from '../creation-time.ts';

/** Something of which a namespace has a certain number. */
export interface Want {
  readonly namespace: string;
  readonly what: string;
  readonly owner: Owner;
  /** Older ones are less, see `ageOf`. */
  readonly age: string;
}

/** What one object wants, to begin the key of its entries with: in order of age, then by name. */
export function ageOf(object: KubeObject | undefined, { namespace, name }: Owner): string {
  const time = object === undefined ? Number.MAX_SAFE_INTEGER : creationTime(object);
  return `${String(time).padStart(16, '0')} ${namespace}/${name}`;
}

/**
 * What is more than `most` for its namespace, by `<namespace> <what>`: what was wanted first is not. It is as old as the oldest object that wants it, so that another one
 * that wants the same touches nothing else.
 *
 * @param wants their keys begin with their age
 */
export function createBound(graph: Graph, wants: Collection<Want>, most: number): Collection<true> {
  const { name } = wants;
  const byWhat = graph.groupEntriesBy(
    `${name}.by-what`,
    wants,
    ({ namespace, what }) => `${namespace} ${what}`,
  );
  const first = graph.flatMapEntries(
    `${name}.first`,
    byWhat,
    ([oldest], key) => (oldest === undefined ? [] : [[`${oldest.age} ${key}`, oldest] as const]),
    { ownerOf: ([oldest], key) => oldest?.owner ?? nobody(key) },
  );
  const byNamespace = graph.groupEntriesBy(`${name}.by-namespace`, first, ({ namespace }) => namespace);
  return graph.flatMapEntries(
    `${name}.over`,
    byNamespace,
    (all) => all.slice(most).map(({ namespace, what }) => [`${namespace} ${what}`, true] as const),
    { ownerOf: (_all, namespace) => nobody(namespace) },
  );
}

function nobody(name: string): Owner {
  return { kind: 'Namespace', namespace: '', name };
}
