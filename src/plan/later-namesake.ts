import { getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { CrtListEntry, Plan, PlanCrtList } from '../protocol/plan.ts';
import { certificateTraits } from './certificate-traits.ts';
import { filterNames, isUnnamed } from './entry-names.ts';
import { areRivals } from './are-rivals.ts';

export interface Namesake {
  readonly list: string;
  readonly certificate: string;
  readonly name: string;
}

/**
 * An entry of a crt-list that comes after one that uses the file, for a host name of both and with the same type of key. Setting a certificate, or a CA or CRL file
 * that an entry names, makes HAProxy (all lines) enter the names of that entry anew, behind those of others: from then on the
 * other certificate would be the one that clients get. Undefined: there is none, and order has no meaning.
 */
export function laterNamesake({ crtLists, files }: ListsAndFiles, path: string): Namesake | undefined {
  for (const list of valuesOf(crtLists)) {
    const index = indexOf(list);
    for (const at of index.users.get(path) ?? []) {
      const entry = index.entries[at];
      const found = entry === undefined ? undefined : namesakeAfter(files, index, at, namesOf(files, entry));
      if (found !== undefined) return { list: list.path, ...found };
    }
  }
  return undefined;
}

type Files = Plan['files'];
/** The lists as the worker has them, and the files as they will be. */
type ListsAndFiles = Pick<Plan, 'crtLists' | 'files'>;

interface ListIndex {
  readonly entries: readonly CrtListEntry[];
  /** Places of the entries that use a file. */
  readonly users: ReadonlyMap<string, readonly number[]>;
  /** Places of a host name among the filters. */
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
  /** Places of the entries that take their names from the certificate. */
  readonly unnamed: readonly number[];
}

const indexes = new WeakMap<PlanCrtList, ListIndex>();

function indexOf(list: PlanCrtList): ListIndex {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const entries = [...valuesOf(list.entries)];
  const users = new Map<string, number[]>();
  const placesOf = new Map<string, number[]>();
  const unnamed: number[] = [];
  entries.forEach((entry, at) => {
    for (const file of new Set([entry.certificate, ...entry.options])) {
      const places = users.get(file);
      if (places === undefined) users.set(file, [at]);
      else places.push(at);
    }
    const names = filterNames(entry);
    for (const name of names) {
      const places = placesOf.get(name);
      if (places === undefined) placesOf.set(name, [at]);
      else places.push(at);
    }
    if (isUnnamed(entry)) unnamed.push(at);
  });
  const index = { entries, users, placesOf, unnamed };
  indexes.set(list, index);
  return index;
}

function namesakeAfter(
  files: Files,
  { entries, placesOf, unnamed }: ListIndex,
  at: number,
  names: readonly string[] | undefined,
): { readonly certificate: string; readonly name: string } | undefined {
  const certificateAt = (place: number) => entries[place]?.certificate ?? '';
  if (names === undefined)
    return at + 1 < entries.length
      ? { certificate: certificateAt(at + 1), name: 'perhaps a name of its certificate' }
      : undefined;
  const isRival = (place: number): boolean =>
    place > at && areRivals(files, certificateAt(at), certificateAt(place));
  for (const name of names) {
    const rival = placesOf.get(name)?.findLast(isRival);
    if (rival !== undefined) return { certificate: certificateAt(rival), name };
  }
  for (const place of unnamed) {
    const entry = entries[place];
    if (!isRival(place) || entry === undefined) continue;
    const others = namesOf(files, entry);
    const name = others === undefined ? names[0] : names.find((candidate) => others.includes(candidate));
    if (name !== undefined) return { certificate: entry.certificate, name };
  }
  return undefined;
}

/** Undefined: the names are the certificate's, and its content is not at hand or not understood. */
function namesOf(files: Files, entry: CrtListEntry): readonly string[] | undefined {
  if (!isUnnamed(entry)) return filterNames(entry);
  const file = getEntry(files, entry.certificate);
  return file === undefined ? undefined : certificateTraits(file)?.names;
}
