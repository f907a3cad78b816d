import { X509Certificate } from 'node:crypto';
import { getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { CrtListEntry, Plan, PlanCrtList, PlanFile } from '../protocol/plan.ts';

export interface Namesake {
  readonly list: string;
  readonly certificate: string;
  readonly name: string;
}

/**
 * An entry of a crt-list that comes after one that uses the file, for a host name of both. Setting a certificate, or a CA or CRL file
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
  /** Last place of a host name among the filters. */
  readonly lastOf: ReadonlyMap<string, number>;
  /** Places of the entries that take their names from the certificate. */
  readonly unnamed: readonly number[];
}

const indexes = new WeakMap<PlanCrtList, ListIndex>();

function indexOf(list: PlanCrtList): ListIndex {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const entries = [...valuesOf(list.entries)];
  const users = new Map<string, number[]>();
  const lastOf = new Map<string, number>();
  const unnamed: number[] = [];
  entries.forEach((entry, at) => {
    for (const file of new Set([entry.certificate, ...entry.options])) {
      const places = users.get(file);
      if (places === undefined) users.set(file, [at]);
      else places.push(at);
    }
    const names = filterNames(entry);
    for (const name of names) lastOf.set(name, at);
    if (names.length === 0) unnamed.push(at);
  });
  const index = { entries, users, lastOf, unnamed };
  indexes.set(list, index);
  return index;
}

function namesakeAfter(
  files: Files,
  { entries, lastOf, unnamed }: ListIndex,
  at: number,
  names: readonly string[] | undefined,
): { readonly certificate: string; readonly name: string } | undefined {
  const certificateAt = (place: number) => entries[place]?.certificate ?? '';
  if (names === undefined)
    return at + 1 < entries.length
      ? { certificate: certificateAt(at + 1), name: 'perhaps a name of its certificate' }
      : undefined;
  for (const name of names) {
    const last = lastOf.get(name);
    if (last !== undefined && last > at) return { certificate: certificateAt(last), name };
  }
  for (const place of unnamed) {
    const entry = entries[place];
    if (place <= at || entry === undefined) continue;
    const others = namesOf(files, entry);
    const name = others === undefined ? names[0] : names.find((candidate) => others.includes(candidate));
    if (name !== undefined) return { certificate: entry.certificate, name };
  }
  return undefined;
}

function filterNames({ sniFilters }: CrtListEntry): readonly string[] {
  return sniFilters.filter((filter) => !filter.startsWith('!')).map((filter) => filter.toLowerCase());
}

/** Undefined: the names are the certificate's, and its content is not at hand or not understood. */
function namesOf(files: Files, entry: CrtListEntry): readonly string[] | undefined {
  const names = filterNames(entry);
  if (names.length > 0) return names;
  const file = getEntry(files, entry.certificate);
  return file === undefined ? undefined : certificateNames(file);
}

const known = new WeakMap<PlanFile, readonly string[] | 'unknown'>();

/** The host names of the first certificate of a PEM file: its alternative names and its common name, in lower case. */
function certificateNames(file: PlanFile): readonly string[] | undefined {
  const held = known.get(file);
  if (held !== undefined) return held === 'unknown' ? undefined : held;
  const names = readNames(file);
  known.set(file, names ?? 'unknown');
  return names;
}

function readNames(file: PlanFile): readonly string[] | undefined {
  try {
    const pem = Buffer.concat([...file.content()]).toString('latin1');
    const block = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END [A-Z0-9 ]+-----/.exec(
      pem,
    )?.[0];
    if (block === undefined) return undefined;
    const { subjectAltName = '', subject } = new X509Certificate(block);
    const alternative = [...subjectAltName.matchAll(/DNS:"?([^\s",]+)/g)];
    const common = [...subject.matchAll(/^CN=(.+)$/gm)];
    return [...alternative, ...common].map(([, name = '']) => name.toLowerCase());
  } catch {
    return undefined;
  }
}
