import { CodedError } from '../../lib/coded-error.ts';
import { reloadHaproxy, type ReloadOutcome } from '../runtime/reload-haproxy.ts';
import type { ApplyContext } from './apply-context.ts';

/**
 * Reloads HAProxy on the files on disk and makes the new worker the current one. Counted. Never throws for what HAProxy does: a new
 * worker that dies before it could be asked what it has loaded is an outcome without a verdict.
 */
export async function reloadWorker(context: ApplyContext): Promise<ReloadOutcome> {
  const { options, watch, deletes, meters } = context;
  const outcome = await reloadHaproxy({
    masterSocket: options.masterSocket,
    workerSocket: options.workerSocket,
    former: watch.current(),
    timeoutMs: options.reloadTimeoutMs,
  });
  const adopted = outcome.ok ? await adopt(context, outcome) : outcome;
  if (adopted.ok) deletes.reset();
  meters.reloaded(adopted.ok ? 'ok' : 'failed');
  return adopted;

  async function adopt({ log }: ApplyContext, done: ReloadOutcome & { ok: true }): Promise<ReloadOutcome> {
    try {
      await watch.adopt(done.worker);
      return done;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      log.warn({ err: error }, 'the new worker does not answer');
      return { ok: false, verdict: 'unknown', output: error.message, tookMs: done.tookMs };
    }
  }
}
