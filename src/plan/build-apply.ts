import { diffOrderedMaps, getEntry, valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import { ropePatch, ropeSize, type TextPiece } from '../lib/rope.ts';
import type { ApplyRequest, FilePart } from '../protocol/apply-request.ts';
import { planSchemaVersion, type Plan, type PlanFile } from '../protocol/plan.ts';
import {
  identityVersion,
  type ApplyManifest,
  type ApplyToken,
  type ManifestFile,
  type PlanRoles,
} from '../protocol/wire.ts';
import type { Decision } from './baseline.ts';

export interface HeldFile {
  readonly digest: string;
  readonly size: number;
  /** Absent: not told by the pod, and then the digest stands for it. */
  readonly proof?: string;
}

export interface BuildApplyInput {
  readonly plan: Plan;
  readonly decision: Pick<Decision, 'mode' | 'batches'> & Partial<Pick<Decision, 'inPlace' | 'workerPlan'>>;
  /** The plan ids and proofs that the pod reported last: what this apply is fenced by. */
  readonly roles: Pick<
    PlanRoles,
    'applied_plan_id' | 'applied_plan_proof' | 'worker_ops_plan_id' | 'worker_ops_plan_proof'
  >;
  readonly appliedToken?: ApplyToken;
  readonly token: ApplyToken;
  /** What the pod holds under a path. */
  readonly held: (path: string) => HeldFile | undefined;
  /** The plan whose files the pod holds, where known: the base of patches. */
  readonly heldPlan?: Plan;
  /** The pod holds the files of `heldPlan`, these bytes and no others, as of the plan that it reported as applied. */
  readonly holdsPlan?: boolean;
  /** Of the pod's agent. */
  readonly features: readonly string[];
  /** The plan that HAProxy accepted, as the pod knows it: it becomes the last known good. */
  readonly validated?: { readonly id: string; readonly proof: string };
  readonly planBlob?: Uint8Array;
}

/**
 * One delivery to one pod: the complete file set, sorted by path, or, where it is known to the byte what the pod holds and its agent takes that, what
 * differs from it, so that the cost follows the change; and bytes only for what the pod does not hold. A file made of
 * sections or map entries travels as a patch where the agent takes patches, holds the older version and the patch is smaller.
 *
 * A pod whose agent takes one batch only gets a reload when the decision has several.
 */
export function buildApply(input: BuildApplyInput): ApplyRequest {
  const { plan, decision, roles, token, planBlob } = input;
  const parts: FilePart[] = [];
  const files: ManifestFile[] = [];
  const { listed, removed } = filesToName(input);
  for (const file of listed) {
    const entry: ManifestFile = {
      path: file.path,
      digest: file.digest,
      proof: file.digest,
      size: file.size,
      kind: file.kind,
      reload_on_change: file.reloadOnChange,
    };
    const held = input.held(file.path);
    if (isHeld(file, held)) {
      files.push(entry);
      continue;
    }
    const patched = held === undefined ? undefined : patchOf(input, file, held);
    files.push(patched === undefined ? entry : { ...entry, patch: patched.patch });
    parts.push({ path: file.path, bytes: patched?.bytes ?? file.content() });
  }
  const fits = decision.batches.length <= 1 || input.features.includes('runtime_batches');
  const [ops = [], ...more] = fits ? decision.batches : [];
  const manifest: ApplyManifest = {
    identity_version: identityVersion,
    plan_id: plan.id,
    plan_schema_version: planSchemaVersion,
    token,
    expected_prev_plan_id: roles.applied_plan_id,
    expected_prev_plan_proof: roles.applied_plan_proof,
    ...(input.appliedToken === undefined ? {} : { expected_prev_token: input.appliedToken }),
    expected_worker_ops_plan_id: roles.worker_ops_plan_id,
    expected_worker_ops_plan_proof: roles.worker_ops_plan_proof,
    ...(input.validated === undefined
      ? {}
      : { validated_plan_id: input.validated.id, validated_plan_proof: input.validated.proof }),
    files,
    ...(removed === undefined ? {} : { removed_files: removed }),
    ops,
    ...(more.length === 0 ? {} : { op_batches: more }),
    ...inPlaceOf(decision),
    mode: fits ? decision.mode : 'reload',
  };
  return planBlob === undefined ? { manifest, parts } : { manifest, parts, plan: planBlob };
}

function filesToName({ plan, heldPlan, holdsPlan, features }: BuildApplyInput): {
  readonly listed: Iterable<PlanFile>;
  readonly removed?: readonly string[];
} {
  if (heldPlan === undefined || holdsPlan !== true || !features.includes('file_changes'))
    return { listed: valuesOf(plan.files) };
  const listed: PlanFile[] = [];
  const removed: string[] = [];
  for (const { key, before, after } of diffOrderedMaps(heldPlan.files, plan.files)) {
    if (after === undefined) removed.push(key);
    else if (before?.kind !== after.kind || !isHeld(after, before)) listed.push(after);
  }
  return { listed, removed };
}

/** What the agent runs at once where the reload has to wait, and what the worker corresponds to afterwards. */
function inPlaceOf({
  inPlace = [],
  workerPlan,
}: BuildApplyInput['decision']): Pick<ApplyManifest, 'in_place_ops' | 'worker_ops_plan_id'> {
  if (inPlace.length === 0 || workerPlan === undefined) return {};
  return { in_place_ops: inPlace, worker_ops_plan_id: workerPlan.id };
}

/** The agent takes a file without bytes only if digest, size and proof are all what it has on record. */
function isHeld(file: PlanFile, held: HeldFile | undefined): boolean {
  return (
    held?.digest === file.digest && held.size === file.size && (held.proof ?? held.digest) === file.digest
  );
}

function patchOf(
  { plan, heldPlan, features }: BuildApplyInput,
  file: PlanFile,
  held: HeldFile,
): { readonly patch: NonNullable<ManifestFile['patch']>; readonly bytes: readonly Uint8Array[] } | undefined {
  if (heldPlan === undefined || !features.includes('file_patch')) return undefined;
  const base = getEntry(heldPlan.files, file.path);
  if (base?.digest !== held.digest || base.size !== held.size) return undefined;
  const before = ropeOf(heldPlan, base);
  const after = ropeOf(plan, file);
  if (before === undefined || after === undefined || ropeSize(before) !== base.size) return undefined;
  const { offset, length, bytes } = ropePatch(before, after);
  const sent = bytes.reduce((sum, run) => sum + run.byteLength, 0);
  if (sent >= file.size || base.size - length + sent !== file.size) return undefined;
  return { patch: { base_digest: base.digest, base_size: base.size, offset, length }, bytes };
}

/** The pieces that a file's bytes are made of, in order; undefined for files that are opaque. */
function ropeOf(plan: Plan, file: PlanFile): OrderedMap<TextPiece> | undefined {
  if (file.kind === 'config') return plan.sections;
  if (file.kind === 'map') return getEntry(plan.maps, file.path)?.entries;
  return file.kind === 'crtlist' ? getEntry(plan.crtLists, file.path)?.entries : undefined;
}
