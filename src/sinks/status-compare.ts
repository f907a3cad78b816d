import { isRecord } from '../lib/is-record.ts';
import { isList, transitionTime, typedItems } from './status-items.ts';

/** Whether a status says all that a part says. More, such as fields that the API fills in, is no difference. */
export function isSaid(status: unknown, part: unknown): boolean {
  if (isRecord(part))
    return isRecord(status) && Object.entries(part).every(([field, value]) => isSaid(status[field], value));
  if (!isList(part)) return Object.is(status, part);
  if (!isList(status)) return false;
  const items = typedItems(part);
  if (items === undefined)
    return status.length === part.length && part.every((item, index) => isSaid(status[index], item));
  return items.every((item) =>
    isSaid(
      status.find((other) => isRecord(other) && other['type'] === item.type),
      item,
    ),
  );
}

/** Whether a part said something, by field, that its next version leaves out: it has to be applied for that to go. */
export function isShorter(next: unknown, former: unknown): boolean {
  if (next === former) return false;
  if (isRecord(former))
    return (
      !isRecord(next) ||
      Object.entries(former).some(
        ([field, value]) => !Object.hasOwn(next, field) || isShorter(next[field], value),
      )
    );
  const items = typedItems(next) ?? [];
  return (typedItems(former) ?? []).some((item) =>
    isShorter(
      items.find(({ type }) => type === item.type),
      item,
    ),
  );
}

/**
 * Whether a field manager has fields that its part leaves out, by the entry `fieldsV1` of `metadata.managedFields`: `f:name` for
 * a field, `k:{"type":"Ready"}` for an item of a list.
 */
export function hasMoreThan(fields: unknown, part: unknown): boolean {
  if (!isRecord(fields)) return false;
  return Object.entries(fields).some(([key, inner]) => {
    if (key.startsWith('f:')) {
      const field = key.slice(2);
      if (field === transitionTime) return false;
      return !isRecord(part) || !Object.hasOwn(part, field) || hasMoreThan(inner, part[field]);
    }
    if (!key.startsWith('k:')) return false;
    const names: unknown = JSON.parse(key.slice(2));
    const item = isList(part) ? part.find((one) => isSaid(one, names)) : undefined;
    return item === undefined || hasMoreThan(inner, item);
  });
}
