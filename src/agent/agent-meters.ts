import type { ApplyResultMode } from '../protocol/wire.ts';

/** What the agent counts. Every method is cheap and never throws; labels are bounded sets. */
export interface AgentMeters {
  /** An apply was answered 200, `rejected` included. */
  applied(mode: ApplyResultMode): void;
  /** An apply came to nothing: the stage of its error, or `fence` and `missing` for the two conflicts. */
  rejected(stage: string): void;
  /** Something that must always hold did not. */
  invariant(name: AgentInvariant): void;
  /** HAProxy was reloaded, or refused to be. */
  reloaded(result: 'ok' | 'failed'): void;
  /** The files of a refused set were put back. */
  rolledBack(): void;
  /** A removal that had to wait for sessions: put off, or how it ended. */
  deferredDelete(kind: 'server' | 'backend', outcome: 'deferred' | 'done' | 'superseded' | 'abandoned'): void;
  /** HAProxy refused an operation of this kind. */
  operationError(kind: string): void;
  /** Number of accepted applies, as in the state. */
  generation(value: number): void;
  /** A map in the worker was found to differ from the file. */
  mapDivergence(): void;
}

/** What must always hold (the agent counts, logs and goes on). */
export const agentInvariants = [
  'generation_monotonic',
  'disk_is_the_desired_set',
  'runtime_mode_does_not_reload',
  'reload_mode_reloads',
  'noop_runs_no_ops',
  'journal_only_while_diverged',
  'mount_probe_found_every_mount',
  'ops_executable',
  'recovery_reload',
] as const;
export type AgentInvariant = (typeof agentInvariants)[number];

/** Counts nothing. */
export function noMeters(): AgentMeters {
  const ignore = () => undefined;
  return {
    applied: ignore,
    rejected: ignore,
    invariant: ignore,
    reloaded: ignore,
    rolledBack: ignore,
    deferredDelete: ignore,
    operationError: ignore,
    generation: ignore,
    mapDivergence: ignore,
  };
}
