import { isRecord } from '../lib/is-record.ts';
import type { JsonObject } from '../protocol/declared.ts';
import { transitionTime, type TypedItem, typedItems } from './status-items.ts';

/**
 * Gives conditions the time at which their status changed, where a part does not: the one that stands there as long as the status is the
 * same. A condition is an item of a list with `type`, `status` and `reason`, as Kubernetes' conventions have it.
 *
 * @param now ISO 8601
 */
export function stampConditions(part: JsonObject, status: unknown, now: string): JsonObject {
  const before: JsonObject = isRecord(status) ? status : {};
  return Object.fromEntries(
    Object.entries(part).map(([field, value]) => {
      if (isRecord(value)) return [field, stampConditions(value, before[field], now)];
      const present = typedItems(before[field]) ?? [];
      return [field, typedItems(value)?.map((item) => stamped(item, present, now)) ?? value];
    }),
  );
}

function stamped(item: TypedItem, present: readonly TypedItem[], now: string): TypedItem {
  const { type, status, reason } = item;
  if (typeof status !== 'string' || typeof reason !== 'string' || item[transitionTime] !== undefined)
    return item;
  const former = present.find((other) => other.type === type);
  const since = former?.['status'] === status ? former[transitionTime] : undefined;
  return { ...item, [transitionTime]: typeof since === 'string' ? since : now };
}
