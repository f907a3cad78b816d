import type { ReportFault } from './fault.ts';
import { showValue } from './show-value.ts';

/** A list field: absent and null are empty, anything but a list is reported and counts as `undefined`. */
export function listField(
  value: unknown,
  field: string,
  report: ReportFault,
): readonly unknown[] | undefined {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value as readonly unknown[];
  report({ reason: 'InvalidField', field, message: `must be a list, not ${showValue(value)}` });
  return undefined;
}
