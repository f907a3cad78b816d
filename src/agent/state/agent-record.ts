import type { FilePatch } from '../files/file-patch.ts';
import type { HeldFile } from '../files/held-files.ts';
import type { JournalEntry } from '../files/journal.ts';
import type { ApplyResult, ApplyToken, HaproxyIdentity } from '../../protocol/wire.ts';
import type { PendingDelete } from '../runtime/pending-delete.ts';

/** A plan in one of its roles; both fields empty: none is known. */
export interface PlanRef {
  readonly id: string;
  /** Agent-made (`a:<n>`): tells two occurrences of one plan id apart. */
  readonly proof: string;
}

export const noPlan: PlanRef = { id: '', proof: '' };

/** Two references to the same occurrence of a plan. Nothing equals an unknown plan. */
export function samePlanRef(a: PlanRef, b: PlanRef): boolean {
  return a.id !== '' && a.proof !== '' && a.id === b.id && a.proof === b.proof;
}

/**
 * - `committed`: nothing is under way.
 * - `scheduled`: the files are in place, and the worker gets them with the pending reload.
 * - `applying`: files, worker or both are on their way to `wanted`.
 * - `placing`: the worker has what is wanted, and that was answered; the files are on their way from the agent's folder to their places.
 * - `aborting`: HAProxy refused the files on disk; the journal is being put back.
 */
export type ApplyPhase = 'committed' | 'scheduled' | 'applying' | 'placing' | 'aborting';

/** What an apply is about to make of the pod, recorded before the first file or the worker is touched. */
export interface Wanted {
  readonly plan: PlanRef;
  readonly token: ApplyToken;
  /** Content of every path that the apply changes; undefined: the path goes. */
  readonly changes: ReadonlyMap<string, HeldFile | undefined>;
  /** Contents among them that are in no file yet: how they come about from the former ones. */
  readonly patches: ReadonlyMap<string, FilePatch>;
  /** Commands or a reload are sent as well, so that the worker may be anywhere between the two plans. */
  readonly worker: boolean;
}

export interface PendingReload {
  /** When it is due, milliseconds of the Unix clock. */
  readonly at: number;
  /** Why there is one, as in `reload.reason` of a result; absent: the controller asked for it. */
  readonly reason?: string;
}

/** What the agent must remember over its own restart: the content of its state file (docs/agent.md). */
export interface AgentRecord {
  readonly phase: ApplyPhase;
  /** Grows with every accepted apply. */
  readonly generation: number;
  /** Last number given out in a proof. */
  readonly proofCounter: number;
  readonly appliedToken: ApplyToken;
  /** The plan whose files are on disk. */
  readonly applied: PlanRef;
  /** The plan that the worker serves. */
  readonly running: PlanRef;
  /** The plan that the worker's runtime state was last brought to. */
  readonly workerOps: PlanRef;
  /** The last known good plan: the last one that HAProxy loaded or a gate passed. The journal leads back to it. */
  readonly lkg: PlanRef;
  /** What every path that changed since `lkg` was then. Empty: the files are those of `lkg`. */
  readonly journal: ReadonlyMap<string, JournalEntry>;
  /** Of the apply under way; only in the phases `applying` and `placing`. */
  readonly wanted: Wanted | undefined;
  readonly reloadPending: PendingReload | undefined;
  /** When HAProxy was last reloaded, milliseconds of the Unix clock; 0: never. */
  readonly lastReloadAt: number;
  /** The worker that `running` and `workerOps` speak of. */
  readonly worker: HaproxyIdentity | undefined;
  /** When the files on disk became what they are, microseconds of the Unix clock. */
  readonly filesCommittedAt: number;
  /** The plan that the stored blob belongs to, and the blob's digest: the applied one, or the last before it that had a blob. */
  readonly blob: (PlanRef & { readonly digest: string }) | undefined;
  /** What the worker still has and must lose. */
  readonly pendingDeletes: readonly PendingDelete[];
  /** What became of a scheduled or refused apply, for whoever asks after a restart. */
  readonly lastApply: ApplyResult | undefined;
  /** The ownership set: what the last apply put on disk. */
  readonly files: ReadonlyMap<string, HeldFile>;
}

/** An agent that knows nothing: it owns no file and every role is empty. */
export const emptyRecord: AgentRecord = {
  phase: 'committed',
  generation: 0,
  proofCounter: 0,
  appliedToken: { leader_epoch: 0, render_seq: 0 },
  applied: noPlan,
  running: noPlan,
  workerOps: noPlan,
  lkg: noPlan,
  journal: new Map(),
  wanted: undefined,
  reloadPending: undefined,
  lastReloadAt: 0,
  worker: undefined,
  filesCommittedAt: 0,
  blob: undefined,
  pendingDeletes: [],
  lastApply: undefined,
  files: new Map(),
};

/** The same files, but no plan is known to be applied or run: what follows any doubt. */
export function withoutBaseline(record: AgentRecord): AgentRecord {
  return { ...record, applied: noPlan, running: noPlan, workerOps: noPlan };
}

/** The files on disk are no longer those the journal was written about: there is no way back from them. */
export function withoutJournal(record: AgentRecord): AgentRecord {
  return { ...record, lkg: noPlan, journal: new Map() };
}

/** The worker is on the last known good plan; commands may have brought it to a later one. */
export function servesGood({ running, lkg }: AgentRecord): boolean {
  return running.id === lkg.id && running.proof === lkg.proof;
}

/** The plan that the owned files are: the applied one, or the last known good one where those were put back. */
export function planOnDisk({ applied, lkg, journal }: AgentRecord): PlanRef {
  if (applied.id !== '') return applied;
  return journal.size === 0 ? lkg : noPlan;
}
