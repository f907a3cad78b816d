import { isRecord } from './json.ts';

/** JSON merge patch (RFC 7386): objects merge, `null` removes, anything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, field);
    else merged[field] = mergePatch(merged[field], value);
  }
  return merged;
}
