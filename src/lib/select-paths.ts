import { jsonPathValues } from './json-path.ts';

/**
 * What JSONPaths select of a value, for people: of one path, the value there, the list of them if there are several, `null` if there is none; of
 * several paths, an object by path; of none, the value itself. Throws what `jsonPathValues` throws.
 */
export function selectPaths(paths: readonly string[]): (value: unknown) => unknown {
  const selects = paths.map((path) => ({ path, select: jsonPathValues(path) }));
  const [first, ...others] = selects;
  if (first === undefined) return (value) => value;
  const take = (values: readonly unknown[]) => (values.length > 1 ? values : (values[0] ?? null));
  if (others.length === 0) return (value) => take(first.select(value));
  return (value) => Object.fromEntries(selects.map(({ path, select }) => [path, take(select(value))]));
}
