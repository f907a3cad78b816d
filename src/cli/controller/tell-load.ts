import type { Logger } from 'pino';
import { assertNever } from '../../lib/assert-never.ts';
import type { LoadReport } from '../../world/load-report.ts';

/** Tells the log what becomes of configurations: each stage, and what each came to. */
export function tellLoad(log: Logger): (report: LoadReport<unknown>) => void {
  return (report) => {
    const { name: config, generation } = report.candidate;
    switch (report.kind) {
      case 'passed':
        log.info(
          { config, generation, stage: report.stage, tookMs: Math.round(report.tookMs) },
          'load stage passed',
        );
        return;
      case 'refused':
        log.warn(
          {
            config,
            generation,
            stage: report.stage,
            errors: report.errors.slice(0, 20),
            again: report.passing,
          },
          'configuration refused: the last good one stays',
        );
        return;
      case 'accepted':
        log.info({ config, generation, tookMs: Math.round(report.tookMs) }, 'configuration taken');
        return;
      case 'unchanged':
        log.info({ config, generation }, 'configuration is the one at work');
        return;
      default:
        assertNever(report);
    }
  };
}
