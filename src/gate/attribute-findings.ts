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
  const proxies = new Set<string>();
  for (const { file, line, proxy } of messages)
    if (file !== undefined && line !== undefined)
      linesByFile.set(file, (linesByFile.get(file) ?? new Set()).add(line));
    else if (proxy !== undefined) proxies.add(proxy);
  const users = usersOfProfiles(plan);
  const byLine = new Map(
    [...linesByFile].map(([file, lines]) => [file, placesIn(plan, file, [...lines], users)] as const),
  );
  const byProxy = placesOfProxies(plan, proxies, users);
  return messages.map(({ proxy, ...said }) => {
    const place =
      said.file === undefined || said.line === undefined
        ? byProxy.get(proxy ?? '')
        : byLine.get(said.file)?.get(said.line);
    return { ...said, ...place, ...fileOwner(plan, said.message, place?.owner) };
  });
}

type Place = Pick<Finding, 'section' | 'mapKey' | 'owner' | 'sharedBy' | 'template'>;

/** Paths stand in quotes, in angle brackets or bare, and a full stop may follow. */
function fileOwner(
  plan: Plan,
  message: string,
  user: Owner | undefined,
): Pick<Finding, 'owner' | 'usedBy'> | undefined {
  for (const word of message.split(/[\s'"<>,;:()[\]]+/)) {
    const owner = (getEntry(plan.files, word) ?? getEntry(plan.files, word.replace(/\.$/, '')))?.owner;
    if (owner === undefined) continue;
    const isOwn = user === undefined || formatOwner(user) === formatOwner(owner);
    return isOwn ? { owner } : { owner, usedBy: user };
  }
  return undefined;
}

function placesIn(
  plan: Plan,
  path: string,
  lines: readonly number[],
  users: UsersOfProfile,
): ReadonlyMap<number, Place> {
  const file = getEntry(plan.files, path);
  if (file?.kind === 'config')
    return mapValues(piecesAt(plan.sections, lines), (section) => placeOfSection(section, users));
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

function placeOfSection(section: Section, users: UsersOfProfile): Place {
  const { kind, name, template } = section;
  return { section: { kind, name }, template, ...ownedBy(section), ...sharedProfile(section, users) };
}

/** Whoever has the same profile prints it too, and would be found to blame next, one after another. */
function sharedProfile({ kind, name, owner }: Section, users: UsersOfProfile): Pick<Finding, 'sharedBy'> {
  if (kind !== 'profile' || owner === undefined) return {};
  const own = formatOwner(owner);
  const others = [...(users(name) ?? [])].filter(([key]) => key !== own).map(([, user]) => user);
  return others.length === 0 ? {} : { sharedBy: others };
}

type UsersOfProfile = (profile: string) => ReadonlyMap<string, Owner> | undefined;

/** Owners of the backends of each profile, by `formatOwner`: one pass over all backends, when the first is asked for. */
function usersOfProfiles(plan: Plan): UsersOfProfile {
  let known: Map<string, Map<string, Owner>> | undefined;
  return (name) => {
    if (known === undefined) {
      known = new Map();
      for (const { profile, owner } of valuesOf(plan.backends)) {
        if (owner === undefined) continue;
        const users = known.get(profile) ?? new Map<string, Owner>();
        known.set(profile, users.set(formatOwner(owner), owner));
      }
    }
    return known.get(name);
  };
}

function placeOfEntry(entry: MapEntry): Place {
  return { mapKey: entry.key, ...ownedBy(entry) };
}

function ownedBy({ owner }: { readonly owner?: Owner }): Pick<Finding, 'owner'> {
  return owner === undefined ? {} : { owner };
}

/** One pass over all sections for all proxies. A backend is meant before a core section of the same name. */
function placesOfProxies(
  plan: Plan,
  names: ReadonlySet<string>,
  users: UsersOfProfile,
): ReadonlyMap<string, Place> {
  const backends = new Map<string, Place>();
  const core = new Map<string, Place>();
  if (names.size === 0) return core;
  for (const section of valuesOf(plan.sections)) {
    const { kind } = section;
    const name = kind === 'core' ? (section.name.split(/\s+/).at(-1) ?? '') : section.name;
    const found = kind === 'backend' ? backends : core;
    if (kind !== 'profile' && names.has(name) && !found.has(name))
      found.set(name, placeOfSection(section, users));
  }
  return new Map([...core, ...backends]);
}

function mapValues<A, B>(map: ReadonlyMap<number, A>, to: (value: A) => B): ReadonlyMap<number, B> {
  return new Map([...map].map(([key, value]) => [key, to(value)]));
}
