import { jsonPathValues } from '../lib/json-path.ts';

/** Orders items by what it finds in each, which is to be looked up once. */
export interface SortCriterion {
  readonly valueOf: (item: unknown) => unknown;
  /** Of two values; 0: it does not tell them apart. */
  readonly compare: (a: unknown, b: unknown) => number;
}

/**
 * One criterion of `sortBy`: a path (`$.spec.weight`), followed by `| length` (of the text or list there), `:exists` (those that
 * have a value before those that have none) or `:desc`. Several paths joined by ` ~ ` are compared as one text. Numbers go by
 * size, texts by code units; numbers come before texts, and what has no value comes last, with `:desc` as well.
 */
export function sortCriterion(text: string): SortCriterion {
  let rest = text.trim();
  const modifiers = new Set<string>();
  for (;;) {
    const match = /^(.*?)\s*(?::(desc|exists|asc)|\|\s*(length))$/.exec(rest);
    if (match === null) break;
    modifiers.add(match[2] ?? match[3] ?? '');
    rest = match[1] ?? '';
  }
  if (rest === '') throw new RangeError(`${JSON.stringify(text)} has no path to sort by`);
  const paths = rest.split(/\s+~\s+/).map(jsonPathValues);
  const valueOf = (item: unknown): unknown => {
    const found = paths.map((path) => path(item)[0]);
    const value = found.length === 1 ? found[0] : found.map(asText).join('');
    return modifiers.has('length') ? lengthOf(value) : value;
  };
  const sign = modifiers.has('desc') ? -1 : 1;
  if (modifiers.has('exists'))
    return {
      valueOf: (item) => Number(isMissing(valueOf(item))),
      compare: (a, b) => sign * (Number(a) - Number(b)),
    };
  return {
    valueOf,
    compare: (a, b) => {
      if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
      return sign * compareValues(a, b);
    },
  };
}

/** Numbers by size, before all else; the rest by text. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  const x = asText(a);
  const y = asText(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

function asText(value: unknown): string {
  if (isMissing(value)) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) || typeof value === 'string' ? value.length : 0;
}
