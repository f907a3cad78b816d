import type { OrderedMap } from '../../lib/ordered-map.ts';
import type { Slices } from '../../lib/slices.ts';
import type { Section } from '../../protocol/plan.ts';
import { createGuard, type GuardedSections } from './create-guard.ts';

/** Words of the lines that are looked for, and what can hide them. */
const suspect =
  /lua|module-|ssl-(?:engine|provider|propquery|passphrase)|backing-file|shm-stats|account-key|opentracing|opentelemetry|otel|ot-group|[\\"'\0]/;

const guard = createGuard({
  leavesOut: (risk) => risk === 'load' || risk === 'run' || risk === 'write',
  mayHave: (text) => suspect.test(text),
});

/**
 * Takes out of a render what would act on the process that checks it, or on the files beside it: scripts, libraries and programs, and
 * files that are written. Everything else of a configuration is its author's business. O(sections), with pauses.
 */
export function withoutLoading(sections: OrderedMap<Section>): Slices<GuardedSections> {
  return guard(sections);
}
