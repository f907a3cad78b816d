import type { Arrival, OnDemandCache } from './on-demand-cache.ts';
import type { Collection, Reader } from './types.ts';

/** Objects of which a store holds references only: what became of reading them, and the objects. */
export interface OnDemandObjects<V> {
  readonly arrivals: Collection<Arrival>;
  readonly cache: Pick<OnDemandCache<V>, 'look' | 'want' | 'used'>;
}

/** What a reference stands for: `failure` says why the newest state could not be read. */
export type OnDemandRead<V> =
  | { readonly kind: 'here'; readonly value: V; readonly failure?: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed'; readonly failure: string };

/**
 * A tracked look at an object by the version of its reference. What is not held as it is now is asked for, and the reader runs again when
 * an answer is there; meanwhile a former state is given, or it is `pending`.
 */
export function readOnDemand<V>(
  reader: Pick<Reader, 'read'>,
  { arrivals, cache }: OnDemandObjects<V>,
  key: string,
  version: string | undefined,
): OnDemandRead<V> {
  const arrival = reader.read(arrivals, key);
  if (arrival?.kind === 'gone' && arrival.version === version) return { kind: 'gone' };
  const held = cache.look(key, version);
  if (held?.isFresh === true) return { kind: 'here', value: held.value };
  cache.want(key, version);
  const failure = arrival?.kind === 'failed' ? arrival.message : undefined;
  if (held !== undefined)
    return { kind: 'here', value: held.value, ...(failure === undefined ? {} : { failure }) };
  return failure === undefined ? { kind: 'pending' } : { kind: 'failed', failure };
}
