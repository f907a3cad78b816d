import { type Chunk, getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { CrtListEntry, Plan } from '../protocol/plan.ts';
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
  for (const { path: list, entries } of valuesOf(crtLists)) {
    for (const [run, chunk] of entries.chunks.entries()) {
      for (const at of indexOf(chunk).users.get(path) ?? []) {
        const entry = chunk.values[at];
        const place = { run, at };
        const found = entry === undefined ? undefined : namesakeAfter(files, entries.chunks, place, entry);
        if (found !== undefined) return { list, ...found };
      }
    }
  }
  return undefined;
}

type Files = Plan['files'];
/** The lists as the worker has them, and the files as they will be. */
type ListsAndFiles = Pick<Plan, 'crtLists' | 'files'>;
type Run = Chunk<CrtListEntry>;

/** Of a run of entries, by places in it. A version of a list is indexed where it differs. */
interface RunIndex {
  /** Entries that use a file. */
  readonly users: ReadonlyMap<string, readonly number[]>;
  /** Entries with a host name among their filters. */
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
  /** Entries that take their names from the certificate. */
  readonly unnamed: readonly number[];
}

const indexes = new WeakMap<Run, RunIndex>();

function indexOf(run: Run): RunIndex {
  const known = indexes.get(run);
  if (known !== undefined) return known;
  const users = new Map<string, number[]>();
  const placesOf = new Map<string, number[]>();
  const unnamed: number[] = [];
  const note = (places: Map<string, number[]>, key: string, at: number): void => {
    const noted = places.get(key);
    if (noted === undefined) places.set(key, [at]);
    else noted.push(at);
  };
  run.values.forEach((entry, at) => {
    for (const file of new Set([entry.certificate, ...entry.options])) note(users, file, at);
    for (const name of filterNames(entry)) note(placesOf, name, at);
    if (isUnnamed(entry)) unnamed.push(at);
  });
  const index = { users, placesOf, unnamed };
  indexes.set(run, index);
  return index;
}

/** Costs a look-up for each run and name, and no more than all entries that come after. */
function namesakeAfter(
  files: Files,
  runs: readonly Run[],
  place: { readonly run: number; readonly at: number },
  entry: CrtListEntry,
): { readonly certificate: string; readonly name: string } | undefined {
  const own = namesOf(files, entry);
  if (own === undefined) {
    const next = runs[place.run]?.values[place.at + 1] ?? runs[place.run + 1]?.values[0];
    return next && { certificate: next.certificate, name: 'perhaps a name of its certificate' };
  }
  const names = new Set(own);
  for (const [at, run] of runs.slice(place.run).entries()) {
    const from = at === 0 ? place.at + 1 : 0;
    const { placesOf, unnamed } = indexOf(run);
    const rivalAt = (other: number): CrtListEntry | undefined => {
      const rival = other < from ? undefined : run.values[other];
      return rival && areRivals(files, entry.certificate, rival.certificate) ? rival : undefined;
    };
    for (const name of sharedNames(names, placesOf)) {
      for (const other of placesOf.get(name) ?? []) {
        const rival = rivalAt(other);
        if (rival !== undefined) return { certificate: rival.certificate, name };
      }
    }
    for (const other of unnamed) {
      const rival = rivalAt(other);
      if (rival === undefined) continue;
      const others = namesOf(files, rival);
      const name = others === undefined ? own[0] : others.find((candidate) => names.has(candidate));
      if (name !== undefined) return { certificate: rival.certificate, name };
    }
  }
  return undefined;
}

/** Walks the smaller side. */
function* sharedNames(names: ReadonlySet<string>, places: ReadonlyMap<string, unknown>): Generator<string> {
  const isFewer = names.size < places.size;
  for (const name of isFewer ? names : places.keys())
    if (isFewer ? places.has(name) : names.has(name)) yield name;
}

/** Undefined: the names are the certificate's, and its content is not at hand or not understood. */
function namesOf(files: Files, entry: CrtListEntry): readonly string[] | undefined {
  if (!isUnnamed(entry)) return filterNames(entry);
  const file = getEntry(files, entry.certificate);
  return file === undefined ? undefined : certificateTraits(file)?.names;
}
