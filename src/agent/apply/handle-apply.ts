import { CodedError } from '../../lib/coded-error.ts';
import { errorMessage } from '../../lib/error-message.ts';
import type { ApplyManifest, ApplyResultMode } from '../../protocol/wire.ts';
import { recoverFiles } from '../recover-files.ts';
import { withoutBaseline } from '../state/agent-record.ts';
import { type ApplyAnswer, refusal } from './apply-answer.ts';
import type { ApplyContext } from './apply-context.ts';
import type { ApplyPart } from './apply-parts.ts';
import { applyResult, planRoles } from './apply-result.ts';
import { applyTiming } from './apply-timing.ts';
import { runsInPlace } from './choose-course.ts';
import { fence } from './fence.ts';
import type { KnownBad } from './known-bad.ts';
import { type ManifestRules, parseManifest } from './parse-manifest.ts';
import { earliestReload } from './reload-pacer.ts';
import { revertApply } from './revert-apply.ts';
import { runApply } from './run-apply.ts';
import { stageParts, type StagedSet } from './stage-parts.ts';

export interface HandleDeps {
  readonly context: ApplyContext;
  readonly rules: ManifestRules;
  readonly knownBad: KnownBad;
  /** Told of every apply that was accepted, and what became of it. */
  readonly onApplied: (manifest: ApplyManifest, mode: ApplyResultMode) => void;
}

/**
 * One apply from its manifest's text to its answer: manifest, fence, bytes, verdicts of late, and only then the work. Every refusal
 * comes before anything is changed, the last known good plan included. The caller holds the apply lock.
 *
 * @param began when the request came, milliseconds of `performance.now()`
 */
export async function handleApply(
  deps: HandleDeps,
  text: string,
  parts: AsyncGenerator<ApplyPart>,
  began: number,
): Promise<ApplyAnswer> {
  const { context, rules, knownBad, onApplied } = deps;
  const parsed = parseManifest(text, rules);
  if (!parsed.ok) return refusal('manifest', parsed.message);
  const { manifest } = parsed;
  const conflict = conflictOf(context, manifest);
  if (conflict !== undefined) return conflict;
  const admitMs = performance.now() - began;
  if (manifest.mode === 'revert_lkg') {
    const answer = await revertApply(context, manifest, { began, admitMs, stageMs: 0 }).catch(
      (error: unknown) => recoverFrom(context, error),
    );
    if (answer.status === 200 && answer.body.ok) onApplied(manifest, answer.body.mode);
    return answer;
  }
  const staging = await stage(context, manifest, parts);
  if (!('files' in staging)) return staging;
  const stageMs = performance.now() - began - admitMs;
  const clock = { began, stageMs, admitMs };
  const refused = knownBad.find(manifest, staging.files);
  if (refused !== undefined) {
    await context.area.clear();
    return knownBadAnswer(context, manifest, refused, clock);
  }
  const answer = await runApply(context, manifest, staging, clock).catch((error: unknown) =>
    recoverFrom(context, error),
  );
  if (answer.status !== 200) return answer;
  if (answer.body.ok) onApplied(manifest, answer.body.mode);
  else if (answer.refused === true)
    knownBad.remember(manifest, staging.files, answer.body.error?.message ?? '');
  return answer;
}

function conflictOf(context: ApplyContext, manifest: ApplyManifest): ApplyAnswer | undefined {
  const { store, clock, options } = context;
  const record = store.current();
  const now = clock.now();
  const reloadAt = earliestReload(now, record.lastReloadAt, options.reloadIntervalMs);
  const reason = fence(manifest, record, runsInPlace(manifest, record, reloadAt, now));
  if (reason === undefined) return undefined;
  return { status: 409, body: { ...planRoles(record), applied_token: record.appliedToken, reason } };
}

async function stage(
  { held, area, log }: ApplyContext,
  manifest: ApplyManifest,
  parts: AsyncGenerator<ApplyPart>,
): Promise<StagedSet | ApplyAnswer> {
  try {
    const staging = await stageParts(manifest, parts, held, area);
    if (staging.kind === 'staged') return staging.set;
    await area.clear();
    return { status: 409, body: { missing: staging.paths } };
  } catch (error) {
    await area.clear().catch(() => undefined);
    if (error instanceof CodedError && error.code !== 'HAPTIC_ERR_AGENT_PATH')
      return refusal('parts', error.message);
    log.error({ err: error }, 'files could not be staged');
    const reason = errorMessage(error);
    return refusal('write', `the files could not be staged: ${reason}`);
  }
}

/** Nothing was touched, and the baseline still holds. */
function knownBadAnswer(
  context: ApplyContext,
  manifest: ApplyManifest,
  output: string,
  { began, stageMs, admitMs }: { readonly began: number; readonly stageMs: number; readonly admitMs: number },
): ApplyAnswer {
  const timing = applyTiming({ stage: stageMs, admit: admitMs, total: performance.now() - began });
  return {
    status: 200,
    body: applyResult(context, manifest, {
      ok: false,
      mode: 'rejected',
      error: { stage: 'known_bad', message: output },
      inventoryBefore: context.watch.inventory().generation,
      timing,
    }),
  };
}

/** A bug. Files and worker may be anywhere between two plans: the same is done as at a start after such an end. */
async function recoverFrom(context: ApplyContext, error: unknown): Promise<ApplyAnswer> {
  const { log, store, held, pacer } = context;
  log.error({ err: error }, 'apply failed');
  try {
    await recoverFiles(context);
    const pending = store.current().reloadPending;
    if (pending !== undefined) pacer.arm(pending.at);
  } catch (again) {
    log.error({ err: again }, 'the files could not be sorted out');
    await held.verify();
    store.assume({ ...withoutBaseline(store.current()), files: held.all() });
  }
  return refusal('internal', 'the agent failed; its log has the reason');
}
