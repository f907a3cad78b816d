import { getEntry, valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { MapEntry, Plan, Section } from '../protocol/plan.ts';
import type { HaproxyMessage } from './parse-haproxy-output.ts';
import type { Finding } from './verdict.ts';

/**
 * Finds what each message is about: the section on the line it names, the entry of a map or crt-list, or the proxy it names. If
 * it names a file that an object brought, that object is its owner, whoever uses the file. O(lines of the files named), once for
 * all messages. A message that names nothing known stays as it is.
 */
export function attributeFindings(plan: Plan, messages: readonly HaproxyMessage[]): readonly Finding[] {
  const linesByFile = new Map<string, Set<number>>();
  for (const { file, line } of messages)
    if (file !== undefined && line !== undefined)
      linesByFile.set(file, (linesByFile.get(file) ?? new Set()).add(line));
  const places = new Map(
    [...linesByFile].map(([file, lines]) => [file, placesIn(plan, file, [...lines])] as const),
  );
  return messages.map(({ proxy, ...said }) => ({
    ...said,
    ...(said.file === undefined || said.line === undefined
      ? proxyPlace(plan, proxy)
      : places.get(said.file)?.get(said.line)),
    ...fileOwner(plan, said.message),
  }));
}

type Place = Pick<Finding, 'section' | 'mapKey' | 'owner' | 'sharedBy' | 'template'>;

/** Paths stand in quotes, in angle brackets or bare, and a full stop may follow. */
function fileOwner(plan: Plan, message: string): Pick<Finding, 'owner'> {
  for (const word of message.split(/[\s'"<>,;:()[\]]+/)) {
    const owner = (getEntry(plan.files, word) ?? getEntry(plan.files, word.replace(/\.$/, '')))?.owner;
    if (owner !== undefined) return { owner };
  }
  return {};
}

function placesIn(plan: Plan, path: string, lines: readonly number[]): ReadonlyMap<number, Place> {
  const file = getEntry(plan.files, path);
  if (file?.kind === 'config')
    return mapValues(piecesAt(plan.sections, lines), (section) => placeOfSection(plan, section));
  const map = getEntry(plan.maps, path);
  if (map !== undefined) return mapValues(piecesAt(map.entries, lines), placeOfEntry);
  const list = getEntry(plan.crtLists, path);
  return list === undefined ? new Map() : mapValues(piecesAt(list.entries, lines), ownedBy);
}

/** The piece in which each line begins. Lines are counted once, up to the last one asked for. */
function piecesAt<T extends { readonly text: string }>(
  rope: OrderedMap<T>,
  lines: readonly number[],
): ReadonlyMap<number, T> {
  const wanted = [...lines].sort((a, b) => a - b);
  const found = new Map<number, T>();
  let line = 1;
  let next = 0;
  let begun = false;
  for (const piece of valuesOf(rope)) {
    // A piece that begins amid a line has no part in it: the line is where it began.
    let from = begun ? piece.text.indexOf('\n') + 1 : 0;
    if (begun && from === 0) continue;
    if (begun) line++;
    begun = false;
    for (; from < piece.text.length; line++) {
      while (next < wanted.length && (wanted[next] ?? 0) <= line) found.set(wanted[next++] ?? 0, piece);
      if (next === wanted.length) return found;
      const end = piece.text.indexOf('\n', from);
      begun = end < 0;
      if (begun) break;
      from = end + 1;
    }
  }
  return found;
}

function placeOfSection(plan: Plan, section: Section): Place {
  const { kind, name, template } = section;
  return { section: { kind, name }, template, ...ownedBy(section), ...sharedProfile(plan, section) };
}

/** Whoever has the same profile prints it too, and would be found to blame next, one after another. */
function sharedProfile(plan: Plan, { kind, name, owner }: Section): Pick<Finding, 'sharedBy'> {
  if (kind !== 'profile' || owner === undefined) return {};
  const users = new Map<string, Owner>();
  for (const backend of valuesOf(plan.backends))
    if (backend.profile === name && backend.owner !== undefined)
      users.set(formatOwner(backend.owner), backend.owner);
  users.delete(formatOwner(owner));
  return users.size === 0 ? {} : { sharedBy: [...users.values()] };
}

function placeOfEntry(entry: MapEntry): Place {
  return { mapKey: entry.key, ...ownedBy(entry) };
}

function ownedBy({ owner }: { readonly owner?: Owner }): Pick<Finding, 'owner'> {
  return owner === undefined ? {} : { owner };
}

function proxyPlace(plan: Plan, name: string | undefined): Place {
  if (name === undefined) return {};
  const isCore = (section: Section) => section.kind === 'core' && section.name.split(/\s+/).at(-1) === name;
  let core: Section | undefined;
  for (const section of valuesOf(plan.sections)) {
    if (section.kind === 'backend' && section.name === name) return placeOfSection(plan, section);
    if (isCore(section)) core ??= section;
  }
  return core === undefined ? {} : placeOfSection(plan, core);
}

function mapValues<A, B>(map: ReadonlyMap<number, A>, to: (value: A) => B): ReadonlyMap<number, B> {
  return new Map([...map].map(([key, value]) => [key, to(value)]));
}
