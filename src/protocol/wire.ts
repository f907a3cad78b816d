import type { applyResultModes } from './apply-result-modes.ts';
import type { Operation } from './operation.ts';
import type { FileKind } from './plan.ts';

/**
 * Wire types of the agent's HTTP interface, major version 1: additive changes only. Field names are the wire's.
 * `POST /v1/apply` is multipart/form-data: part `manifest` (JSON) first, then one part per sent file whose filename is the
 * full manifest path, then optionally part `plan` (opaque zstd blob).
 */
export const apiVersion = 1;
export const identityVersion = 1;

/** Fencing token of one apply: the leader's epoch and the number of the render within it. */
export interface ApplyToken {
  readonly leader_epoch: number;
  readonly render_seq: number;
}

export type ApplyMode = 'auto' | 'reload' | 'revert_lkg';

export interface ManifestFile {
  readonly path: string;
  /** xxhash64 of the whole file after the apply, 16 hex digits. */
  readonly digest: string;
  /** Equality witness; the controller sends the digest. Absent: the bytes must be sent. */
  readonly proof?: string;
  readonly size: number;
  readonly kind: FileKind;
  readonly reload_on_change: boolean;
  /** The part carries only `size - base_size + length` bytes that replace [offset, offset + length) of the held file. */
  readonly patch?: {
    readonly base_digest: string;
    readonly base_size: number;
    readonly offset: number;
    readonly length: number;
  };
}

export interface ApplyManifest {
  readonly identity_version: typeof identityVersion;
  readonly plan_id: string;
  readonly plan_proof?: string;
  readonly plan_schema_version: number;
  readonly token: ApplyToken;
  readonly expected_prev_plan_id: string;
  readonly expected_prev_plan_proof: string;
  readonly expected_prev_token?: ApplyToken;
  readonly expected_worker_ops_plan_id: string;
  readonly expected_worker_ops_plan_proof: string;
  readonly worker_ops_plan_id?: string;
  readonly worker_ops_plan_proof?: string;
  readonly validated_plan_id?: string;
  readonly validated_plan_proof?: string;
  /** The complete desired file set, sorted by path; with `removed_files`, what of it is new or changed. */
  readonly files: readonly ManifestFile[];
  /**
   * There, also if it is empty: `files` are changes to the files of the applied plan (`expected_prev_*`), of which these go and all others
   * stay. Only for agents with the feature `file_changes`.
   */
  readonly removed_files?: readonly string[];
  readonly ops: readonly Operation[];
  readonly op_batches?: readonly (readonly Operation[])[];
  readonly in_place_ops?: readonly Operation[];
  readonly mode: ApplyMode;
}

export interface HaproxyIdentity {
  /** `3.4` */
  readonly version: string;
  /** `3.4.7-1` */
  readonly full_version: string;
  readonly worker_pid: number;
  /** With the pid, the identity of a worker: pids are reused after a container restart. */
  readonly worker_start_time_unix_micros: number;
}

export interface PlanRoles {
  readonly applied_plan_id: string;
  readonly applied_plan_proof: string;
  readonly running_plan_id: string;
  readonly running_plan_proof: string;
  readonly worker_ops_plan_id: string;
  readonly worker_ops_plan_proof: string;
  readonly lkg_plan_id: string;
  readonly lkg_plan_proof: string;
}

export interface RuntimeInventory {
  readonly generation: number;
  readonly maps: readonly string[];
  readonly certs: readonly string[];
  readonly ca_files: readonly string[];
  readonly crl_files: readonly string[];
  readonly crt_lists: readonly string[];
}

export interface AgentState extends PlanRoles {
  readonly api_version: number;
  readonly agent_version: string;
  readonly plan_schema_version: number;
  readonly agent_ops: readonly string[];
  readonly features: readonly string[];
  readonly haproxy: HaproxyIdentity;
  readonly generation: number;
  readonly applied_token: ApplyToken;
  /** base64 zstd blob, only when it belongs to the applied plan and was asked for. */
  readonly applied_plan?: string;
  readonly applied_plan_stored: boolean;
  /** The same of a plan applied before, as long as no blob of the applied one is stored. */
  readonly former_plan?: string;
  readonly files: Readonly<
    Record<string, { readonly digest: string; readonly proof: string; readonly size: number }>
  >;
  readonly runtime_inventory: RuntimeInventory;
  readonly reload_pending_at?: string;
  readonly pending_deletes: { readonly servers: readonly string[]; readonly backends: readonly string[] };
  readonly last_apply?: ApplyResult;
  readonly invariant_violation?: string;
  /** What the worker had otherwise than the files when it was last found to; since the agent's start. It is reloaded for that. */
  readonly last_divergence?: Divergence;
}

export interface Divergence {
  /** RFC 3339, the pod's clock. */
  readonly at: string;
  /** Paths of maps. */
  readonly maps: readonly string[];
  /** `backend/server` */
  readonly servers: readonly string[];
}

export type ApplyResultMode = (typeof applyResultModes)[number];

export interface ApplyResult extends PlanRoles {
  readonly plan_id: string;
  readonly ok: boolean;
  readonly mode: ApplyResultMode;
  readonly applied_token: ApplyToken;
  readonly op_results: readonly { readonly kind: string; readonly ok: boolean; readonly output: string }[];
  readonly reload?: {
    readonly performed: boolean;
    readonly ok: boolean;
    readonly worker_pid: number;
    readonly took_ms: number;
    readonly output: string;
    readonly scheduled_at?: string;
    /** Why a runtime apply became a reload: `op_rejected`, `unknown_op`, `worker_changed`, … */
    readonly reason?: string;
  };
  readonly rollback?: { readonly performed: boolean; readonly reloaded: boolean };
  readonly error?: ApplyError;
  readonly haproxy: HaproxyIdentity;
  readonly runtime_inventory?: RuntimeInventory;
  readonly pending_deletes?: AgentState['pending_deletes'];
  readonly at: string;
  readonly timing: {
    readonly stage_ms: number;
    readonly admit_ms: number;
    readonly write_ms: number;
    readonly ops_ms: number;
    readonly finish_ms: number;
    readonly total_ms: number;
  };
}

export interface ApplyError {
  readonly stage: string;
  /** `HAPTIC_ERR_…`, where the failure has one. */
  readonly code?: string;
  readonly message: string;
}

/**
 * Code of the 503 of an agent whose HAProxy is about to end: it ends by itself, and all that comes later is refused, too. Only agents
 * with the feature `soft_stop` say so; others would reload a HAProxy that is ending, which then never ends.
 */
export const softStopCode = 'HAPTIC_ERR_AGENT_SOFT_STOP';
export const softStopFeature = 'soft_stop';

export type ConflictReason =
  'prev_mismatch' | 'stale_epoch' | 'unknown_baseline' | 'worker_ops_mismatch' | 'revert_target_mismatch';

/** 409, shape 1. */
export interface ApplyConflict extends PlanRoles {
  readonly reason: ConflictReason;
  readonly applied_token: ApplyToken;
}

/** 409, shape 2: resend the bytes of exactly these paths. */
export interface MissingFiles {
  readonly missing: readonly string[];
}
