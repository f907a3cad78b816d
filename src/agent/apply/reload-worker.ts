import { CodedError } from '../../lib/coded-error.ts';
import { openFilePool } from '../files/file-pool.ts';
import type { HeldFile } from '../files/held-files.ts';
import { isReached } from '../files/is-reached.ts';
import { reachFiles } from '../files/reach-files.ts';
import { reloadHaproxy, type ReloadOutcome } from '../runtime/reload-haproxy.ts';
import type { ApplyContext } from './apply-context.ts';

/** The configuration that HAProxy is to load. */
export interface WantedConfig {
  readonly held: HeldFile;
  /** Its bytes, where they are at hand. */
  readonly bytes?: Buffer | undefined;
}

const attempts = 3;

/**
 * Reloads HAProxy on the files on disk and makes the new worker the current one. Counted. Never throws for what HAProxy does. A new
 * worker that dies before it could be asked what it has loaded is no verdict: it is tried again.
 *
 * A container that starts meanwhile copies its image's configuration over the wanted one, and HAProxy would have loaded (or refused) that,
 * whole or in part: then it is put back and loaded again.
 *
 * @param config default: the one that is held
 */
export async function reloadWorker(
  context: ApplyContext,
  config: WantedConfig | undefined = heldConfig(context),
): Promise<ReloadOutcome> {
  const { options, watch, deletes, meters, log } = context;
  let former = watch.current();
  for (let attempt = 1; ; attempt++) {
    const outcome = await reloadHaproxy({
      masterSocket: options.masterSocket,
      workerSocket: options.workerSocket,
      former,
      timeoutMs: options.reloadTimeoutMs,
      ...(options.absenceMs !== undefined && { patienceMs: options.absenceMs }),
    });
    meters.reloaded(outcome.ok ? 'ok' : 'failed');
    if (!outcome.ok && outcome.verdict === 'unknown') return outcome;
    if (config === undefined || (await isOnDisk(context, config))) {
      if (!outcome.ok) return outcome;
      const adopted = await adopt(context, outcome);
      if (adopted.ok) deletes.reset();
      if (adopted.ok || attempt === attempts) return adopted;
      continue;
    }
    log.warn({ attempt }, 'HAProxy’s configuration was replaced by another before it was loaded');
    const restored = attempt < attempts && (await putBack(context, config));
    if (!restored) return withoutVerdict(outcome, 'the configuration on disk is not the one to be loaded');
    if (outcome.ok) former = outcome.worker;
  }
}

function heldConfig({ held, options }: ApplyContext): WantedConfig | undefined {
  const known = held.all().get(options.configFile);
  return known === undefined ? undefined : { held: known };
}

function isOnDisk({ options }: ApplyContext, { held }: WantedConfig): Promise<boolean> {
  return isReached(options.baseDir, options.configFile, { kind: 'content', held });
}

async function putBack({ options, area, held, log }: ApplyContext, config: WantedConfig): Promise<boolean> {
  const { baseDir, configFile } = options;
  try {
    const inMemory = (file: string, known: HeldFile) => config.bytes ?? held.inMemory(file, known);
    const deps = { baseDir, area, pool: await openFilePool(area), last: configFile, inMemory };
    const targets = new Map([[configFile, { kind: 'content', held: config.held } as const]]);
    return (await reachFiles(deps, targets)).length === 0;
  } catch (error) {
    log.error({ err: error }, 'the configuration could not be put back');
    return false;
  }
}

async function adopt(
  { watch, log }: ApplyContext,
  done: ReloadOutcome & { readonly ok: true },
): Promise<ReloadOutcome> {
  try {
    await watch.adopt(done.worker);
    return done;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    log.warn({ err: error }, 'the new worker does not answer');
    return withoutVerdict(done, error.message);
  }
}

function withoutVerdict({ tookMs }: ReloadOutcome, output: string): ReloadOutcome & { readonly ok: false } {
  return { ok: false, verdict: 'unknown', output, tookMs };
}
