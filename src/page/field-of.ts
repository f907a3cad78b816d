/** What stands at a dotted path such as `reasons[0]` or `pod.key`; undefined where there is nothing. */
export function fieldOf(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split(/[.[\]]+/)) {
    if (step === '') continue;
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[step];
  }
  return found;
}

/** A scalar as text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/** A list, or none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
