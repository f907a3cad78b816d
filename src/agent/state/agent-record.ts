import type { HeldFile } from '../files/held-files.ts';
import type { AgentState, ApplyToken, HaproxyIdentity } from '../../protocol/wire.ts';

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
 * `applying`: files, worker or both are on their way from one plan to another. Found so at start, the truth is whatever
 * a reload of the files on disk makes of it.
 */
export type ApplyPhase = 'committed' | 'applying';

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
  /** The worker that `running` and `workerOps` speak of. */
  readonly worker: HaproxyIdentity | undefined;
  /** When the files on disk became what they are, microseconds of the Unix clock. */
  readonly filesCommittedAt: number;
  /** The plan that the stored blob belongs to, and the blob's digest. */
  readonly blob: (PlanRef & { readonly digest: string }) | undefined;
  readonly pendingDeletes: AgentState['pending_deletes'];
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
  worker: undefined,
  filesCommittedAt: 0,
  blob: undefined,
  pendingDeletes: { servers: [], backends: [] },
  files: new Map(),
};

/** The same files, but no plan is known to be applied or run: what follows any doubt. */
export function withoutBaseline(record: AgentRecord): AgentRecord {
  return { ...record, applied: noPlan, running: noPlan, workerOps: noPlan, blob: undefined };
}
