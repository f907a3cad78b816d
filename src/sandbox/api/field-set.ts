import type { FieldTrie } from './api-object.ts';
import { isRecord } from './json.ts';

/**
 * A set of field paths, the content of a managedFields entry. Elements are those of FieldsV1: `f:<field>`,
 * `k:<keys as JSON>`, `v:<value as JSON>`. Mutable; owned by one computation.
 */
export interface FieldSet {
  member: boolean;
  readonly children: Map<string, FieldSet>;
}

export function emptyFieldSet(): FieldSet {
  return { member: false, children: new Map() };
}

export function isEmptyFieldSet(set: FieldSet): boolean {
  return !set.member && set.children.values().every(isEmptyFieldSet);
}

export function childOf(set: FieldSet, element: string): FieldSet {
  let child = set.children.get(element);
  if (child === undefined) set.children.set(element, (child = emptyFieldSet()));
  return child;
}

export function parseFieldTrie(trie: unknown): FieldSet {
  const set = emptyFieldSet();
  if (!isRecord(trie)) return set;
  for (const [element, rest] of Object.entries(trie)) {
    if (element === '.') set.member = true;
    else {
      const child = parseFieldTrie(rest);
      if (child.children.size === 0) child.member = true;
      set.children.set(element, child);
    }
  }
  return set;
}

/** The FieldsV1 form: an empty object is a member without children, `.` marks a member that has some. */
export function formatFieldSet(set: FieldSet): FieldTrie {
  const trie: Record<string, FieldTrie> = {};
  const children = [...set.children].filter(([, child]) => !isEmptyFieldSet(child));
  if (set.member && children.length > 0) trie['.'] = {};
  for (const [element, child] of children.sort(([a], [b]) => (a < b ? -1 : 1)))
    trie[element] = formatFieldSet(child);
  return trie;
}

export function unionOf(a: FieldSet, b: FieldSet): FieldSet {
  const union: FieldSet = { member: a.member || b.member, children: new Map(a.children) };
  for (const [element, child] of b.children) {
    const mine = union.children.get(element);
    union.children.set(element, mine === undefined ? child : unionOf(mine, child));
  }
  return union;
}

export function differenceOf(a: FieldSet, b: FieldSet): FieldSet {
  const difference: FieldSet = { member: a.member && !b.member, children: new Map() };
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const rest = other === undefined ? child : differenceOf(child, other);
    if (!isEmptyFieldSet(rest)) difference.children.set(element, rest);
  }
  return difference;
}

export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  const common: FieldSet = { member: a.member && b.member, children: new Map() };
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other === undefined) continue;
    const rest = intersectionOf(child, other);
    if (!isEmptyFieldSet(rest)) common.children.set(element, rest);
  }
  return common;
}

/** Members as dotted paths (`.spec.ports[port=80,protocol="TCP"].name`), the form that conflict messages use. */
export function pathsOf(set: FieldSet, prefix = ''): string[] {
  const own = set.member && prefix !== '' ? [prefix] : [];
  return [
    ...own,
    ...[...set.children].flatMap(([element, child]) => pathsOf(child, prefix + formatElement(element))),
  ];
}

function formatElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith('f:')) return `.${text}`;
  if (element.startsWith('v:')) return `[=${text}]`;
  const keys: unknown = JSON.parse(text);
  if (!isRecord(keys)) return `[${text}]`;
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}]`;
}
