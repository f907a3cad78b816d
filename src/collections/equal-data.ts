/**
 * Structural equality of plain data: primitives by `Object.is`, arrays, plain objects, byte arrays, Maps and Sets
 * by content (their keys and members by identity). Anything else (functions, class instances) is equal to itself only. A property that is `undefined` differs
 * from one that is absent. Shared parts cost nothing: identity is looked at first. Cyclic data is not plain.
 */
export function equalData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalArrays(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Map) return b instanceof Map && equalMaps(a, b);
  if (a instanceof Set) return b instanceof Set && equalSets(a, b);
  return isPlain(a) && isPlain(b) && equalObjects(a, b);
}

function equalArrays(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equalData(a[i], b[i])) return false;
  return true;
}

function equalMaps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (!b.has(key) || !equalData(value, b.get(key))) return false;
  return true;
}

function equalSets(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const member of a) if (!b.has(member)) return false;
  return true;
}

function equalObjects(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !equalData(a[key], b[key])) return false;
  return true;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
