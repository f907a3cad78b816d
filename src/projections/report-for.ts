import type { Reader } from '../collections/types.ts';
import type { Owner } from '../lib/owner.ts';
import type { ReportFault } from './fault.ts';

/** Binds a parser's faults to the object they are about. */
export function reportFor(owner: Owner, reader: Pick<Reader, 'report'>): ReportFault {
  return ({ severity = 'error', reason, field, message }) =>
    reader.report({ severity, reason, field, message, owner });
}
