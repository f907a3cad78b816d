import type { Fault, ReportFault } from '../../../src/projections/fault.ts';

/** A report function that keeps what it is told, as `reason field`, with the whole faults beside. */
export function collectFaults(): {
  readonly report: ReportFault;
  readonly faults: Fault[];
  readonly lines: () => string[];
} {
  const faults: Fault[] = [];
  return {
    report: (fault) => void faults.push(fault),
    faults,
    lines: () => faults.map(({ reason, field }) => `${reason} ${field}`),
  };
}
