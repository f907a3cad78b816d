import { CodedError } from '../lib/coded-error.ts';
import type { ApplyContext } from './apply/apply-context.ts';
import { putBack } from './apply/abort-apply.ts';
import { settleRecord } from './apply/settle-record.ts';
import { noPlan } from './state/agent-record.ts';

/** Keeps count of how long HAProxy has been away, from one look to the next. */
export interface Absence {
  /** It answered. */
  answered(): void;
  /** It did not. The caller holds the apply lock. */
  silent(error: unknown): Promise<void>;
}

/** Longer than HAProxy takes to start on the largest files. */
const patienceMs = 10_000;

/**
 * A HAProxy that was started on files no HAProxy has ever loaded may refuse them, and then its container starts it on them again and again.
 * Nobody tells the agent, but after ten seconds without anybody at the socket it puts the last known good files back, if the
 * present ones are others. A HAProxy that is merely late loads those, and the controller brings it forward again.
 */
export function createAbsence(context: ApplyContext): Absence {
  const { clock, store, log } = context;
  let since: number | undefined;
  return {
    answered: () => (since = undefined),
    silent: async (error) => {
      if (!(error instanceof CodedError)) throw error;
      if (since === undefined) log.info({ err: error }, 'waiting for HAProxy');
      since ??= clock.now();
      // One that keeps the connection but says nothing is loading its files, or has; one that breaks it off may end for them.
      if (error.message.includes('no answer within')) since = clock.now();
      const record = store.current();
      if (record.journal.size === 0 || clock.now() - since < patienceMs) return;
      log.error(
        { plan: record.applied.id },
        'HAProxy does not start: the last known good files are put back',
      );
      const restored = await putBack(context, record, true);
      const applied = restored.journal.size === 0 ? restored.lkg : noPlan;
      await settleRecord(context, { ...restored, applied, running: noPlan, workerOps: noPlan });
    },
  };
}
