import { isRecord } from '../lib/is-record.ts';
import type { JsonObject } from '../protocol/declared.ts';
import { typedItems } from './status-items.ts';

/** Somebody's part of a status. */
export type StatusPart<Manager> = readonly [manager: Manager, content: JsonObject];

/**
 * Parts of one status that do not contradict each other: of a field in several parts, the last has it. Parts that lose nothing
 * are the same objects, those that lose everything are left out. Conditions and other lists whose items have a `type` are
 * divided item by item, other lists are one value.
 */
export function overlayParts<Manager>(parts: readonly StatusPart<Manager>[]): readonly StatusPart<Manager>[] {
  return parts.flatMap(([manager, content], index): StatusPart<Manager>[] => {
    let rest: JsonObject | undefined = content;
    for (const [, later] of parts.slice(index + 1)) if (rest !== undefined) rest = withoutFields(rest, later);
    return rest === undefined ? [] : [[manager, rest]];
  });
}

/** What of a part no other part has; undefined: nothing. */
function withoutFields(part: JsonObject, other: JsonObject): JsonObject | undefined {
  const kept = Object.entries(part)
    .map(
      ([field, value]) =>
        [field, Object.hasOwn(other, field) ? withoutValue(value, other[field]) : value] as const,
    )
    .filter(([, value]) => value !== undefined);
  if (kept.length === 0) return undefined;
  const isWhole =
    kept.length === Object.keys(part).length && kept.every(([field, value]) => value === part[field]);
  return isWhole ? part : Object.fromEntries(kept);
}

function withoutValue(value: unknown, other: unknown): unknown {
  if (isRecord(value) && isRecord(other)) return withoutFields(value, other);
  const items = typedItems(value);
  const others = typedItems(other);
  if (items === undefined || others === undefined) return undefined;
  const types = new Set(others.map(({ type }) => type));
  const rest = items.filter(({ type }) => !types.has(type));
  if (rest.length === items.length) return value;
  return rest.length === 0 ? undefined : rest;
}
