import type { ReportFault } from './fault.ts';
import { isRecord } from '../lib/is-record.ts';
import { showValue } from './show-value.ts';

/** A field that must be an object: anything else is reported and counts as `undefined`. */
export function recordField(
  value: unknown,
  field: string,
  report: ReportFault,
): Readonly<Record<string, unknown>> | undefined {
  if (isRecord(value)) return value;
  report({ reason: 'InvalidField', field, message: `must be an object, not ${showValue(value)}` });
  return undefined;
}
