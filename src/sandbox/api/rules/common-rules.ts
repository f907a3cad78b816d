import type { ApiObject } from '../api-object.ts';
import type { Cause } from '../api-status.ts';
import { invalid } from '../field-errors.ts';
import { getIn, jsonEqual } from '../json.ts';

/** A port number: 1 to 65535. */
export function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65535;
}

/** Fields that cannot change once the object exists. */
export function immutable(
  object: ApiObject,
  previous: ApiObject | undefined,
  ...paths: readonly string[]
): readonly Cause[] {
  if (previous === undefined) return [];
  return paths.flatMap((path) => {
    const before = getIn(previous, path.split('.'));
    const after = getIn(object, path.split('.'));
    return jsonEqual(before, after) ? [] : [invalid(path, after, 'field is immutable')];
  });
}
