import { runStaticChecks } from './static-checks.ts';

process.exitCode = (await runStaticChecks()).length === 0 ? 0 : 1;
