import { entriesOf, type Chunk, type OrderedMap } from '../lib/ordered-map.ts';
import type { CrtListEntry, Plan } from '../protocol/plan.ts';
import { areRivals } from './are-rivals.ts';
import { filterNames as namesOf, hasNoNames, isUnnamed } from './entry-names.ts';

/** What a run of entries has in it, so that most runs need no closer look. */
interface ChunkNames {
  /** Host names of filters, in lower case; negations name none. */
  readonly names: ReadonlySet<string>;
  readonly certificates: ReadonlySet<string>;
  /** An entry without filters has the names of its certificate: any, as far as is known. */
  readonly hasUnnamed: boolean;
}

const known = new WeakMap<Chunk<CrtListEntry>, ChunkNames>();

function namesIn(chunk: Chunk<CrtListEntry>): ChunkNames {
  const held = known.get(chunk);
  if (held !== undefined) return held;
  const names = {
    names: new Set(chunk.values.flatMap(namesOf)),
    certificates: new Set(chunk.values.map(({ certificate }) => certificate)),
    hasUnnamed: chunk.values.some(isUnnamed),
  };
  known.set(chunk, names);
  return names;
}

type Files = Plan['files'];

/** What makes the order of two entries matter, for a message: a host name of both; undefined when nothing does. */
export function overlap(files: Files, a: CrtListEntry, b: CrtListEntry): string | undefined {
  const left = namesOf(a);
  const right = namesOf(b);
  if (hasNoNames(a) || hasNoNames(b)) return undefined;
  if (isUnnamed(a) || isUnnamed(b)) return 'names of a certificate';
  const shared = left.find((name) => right.includes(name));
  return shared !== undefined && areRivals(files, a.certificate, b.certificate) ? shared : undefined;
}

type IsNew = (position: string) => boolean;

/** The first entry behind `position` that is not new and whose order to `entry` matters. */
export function findAfter(
  files: Files,
  entries: OrderedMap<CrtListEntry>,
  position: string,
  entry: CrtListEntry,
  isNew: IsNew,
): CrtListEntry | undefined {
  const wanted = namesOf(entry);
  for (const chunk of entries.chunks) {
    if ((chunk.keys.at(-1) ?? '') <= position) continue;
    const { names, hasUnnamed } = namesIn(chunk);
    if (!hasUnnamed && !isUnnamed(entry) && !wanted.some((name) => names.has(name))) continue;
    for (let at = 0; at < chunk.keys.length; at++) {
      const key = chunk.keys[at] as string;
      const other = chunk.values[at] as CrtListEntry;
      if (key > position && !isNew(key) && overlap(files, entry, other) !== undefined) return other;
    }
  }
  return undefined;
}

/** Whether an entry of this certificate is in the list that is not new. */
export function hasEntry(entries: OrderedMap<CrtListEntry>, certificate: string, isNew: IsNew): boolean {
  return entries.chunks.some(
    (chunk) =>
      namesIn(chunk).certificates.has(certificate) &&
      chunk.values.some((entry, at) => entry.certificate === certificate && !isNew(chunk.keys[at] as string)),
  );
}

/**
 * Whether the entries that stay are in the same order wherever that matters. O(entries), and only when a line is found at
 * another position.
 */
export function sameOrderWhereItMatters(
  files: Files,
  before: OrderedMap<CrtListEntry>,
  after: OrderedMap<CrtListEntry>,
  gone: ReadonlySet<CrtListEntry>,
  isNew: IsNew,
): boolean {
  const was = [...entriesOf(before)].flatMap(([, entry]) => (gone.has(entry) ? [] : [entry]));
  const is = [...entriesOf(after)].flatMap(([position, entry]) => (isNew(position) ? [] : [entry]));
  // The first one stays the first, and comes before all others either way.
  const left = sequences(files, was.slice(1));
  const right = sequences(files, is.slice(1));
  return [...left].every(([name, texts]) => texts.join('') === right.get(name)?.join(''));
}

/** Lines by host name and type of key, in order; all of them under one name when an entry may have any. */
function sequences(files: Files, entries: readonly CrtListEntry[]): ReadonlyMap<string, readonly string[]> {
  const all = entries.map(({ text }) => text);
  if (entries.some(isUnnamed)) return new Map([['', all]]);
  const byName = new Map<string, CrtListEntry[]>();
  for (const entry of entries)
    for (const name of namesOf(entry)) {
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [entry]);
      else same.push(entry);
    }
  const found = new Map<string, readonly string[]>();
  for (const [name, same] of byName)
    same.forEach((entry, at) => {
      const rivals = same.filter(
        (other, place) => place === at || areRivals(files, entry.certificate, other.certificate),
      );
      found.set(
        `${name} ${entry.text}`,
        rivals.map(({ text }) => text),
      );
    });
  return found;
}
