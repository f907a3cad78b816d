import { createGuard } from './create-guard.ts';

/** Words of the lines that are looked for, and what can hide them. */
const suspect =
  /lua|module-|ssl-(?:engine|provider|propquery|passphrase)|backing-file|shm-stats|account-key|opentracing|opentelemetry|otel|ot-group|[\\"'\0]/;

/**
 * Takes out of a render what would act on the process that checks it, or on the files beside it: scripts, libraries and programs, and
 * files that are written. Everything else of a configuration is its author's business.
 */
export const withoutLoading = createGuard({
  leavesOut: (risk) => risk === 'load' || risk === 'run' || risk === 'write',
  mayHave: (text) => suspect.test(text),
});
