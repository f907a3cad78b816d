import { runWithTurns } from '../../lib/run-with-turns.ts';
import type { Plan } from '../../protocol/plan.ts';
import { planWithoutPasswords } from '../../sinks/publish/plan-without-passwords.ts';
import type { Side } from './side.ts';

/** A side as a controller would tell it: all of its plans without the passwords in them. */
export async function sideWithoutPasswords(side: Side, signal: AbortSignal): Promise<Side> {
  const shown = (plan: Plan) => runWithTurns(planWithoutPasswords(plan), signal);
  const { plan, baseline } = side;
  const { applied, running, workerOps } = baseline;
  return {
    ...side,
    ...(plan && { plan: await shown(plan) }),
    baseline: {
      ...baseline,
      applied: applied && (await shown(applied)),
      ...(running && { running: await shown(running) }),
      ...(workerOps && { workerOps: await shown(workerOps) }),
    },
  };
}
