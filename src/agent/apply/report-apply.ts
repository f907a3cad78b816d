import type { Logger } from 'pino';
import type { AgentMeters } from '../agent-meters.ts';
import type { ApplyAnswer } from './apply-answer.ts';

/** Logs and counts the answer to an apply. */
export function reportApply(log: Logger, meters: AgentMeters, answer: ApplyAnswer): void {
  if (answer.status === 200) {
    const { plan_id, ok, mode, timing, reload, error } = answer.body;
    const fields = { plan: plan_id, mode, ms: timing.total_ms, reason: reload?.reason };
    meters.applied(mode);
    if (ok) {
      log.info(fields, 'applied');
      return;
    }
    meters.rejected(error?.stage ?? 'internal');
    log.warn({ ...fields, stage: error?.stage, error: error?.message }, 'apply rejected');
  } else if (answer.status === 409) {
    const missing = 'missing' in answer.body;
    meters.rejected(missing ? 'missing' : 'fence');
    log.info(
      'missing' in answer.body ? { missing: answer.body.missing.length } : { reason: answer.body.reason },
      'apply conflicts',
    );
  } else {
    meters.rejected(answer.body.stage);
    log.warn({ stage: answer.body.stage, error: answer.body.message }, 'apply refused');
  }
}
