import { editOrderedMap, emptyOrderedMap, type OrderedMap } from './ordered-map.ts';
import type { Slices } from './slices.ts';

/** Entries between two pauses. */
const slice = 512;

/** The map of `orderedMapFrom`, made with pauses. Quickest where the entries come in key order. */
export function* orderedMapInSlices<V>(entries: readonly (readonly [string, V])[]): Slices<OrderedMap<V>> {
  let map = emptyOrderedMap<V>();
  for (let from = 0; from < entries.length; from += slice) {
    map = editOrderedMap(map, entries.slice(from, from + slice));
    yield;
  }
  return map;
}
