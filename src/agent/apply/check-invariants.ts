import type { AgentInvariant } from '../agent-meters.ts';
import type { ApplyResultMode } from '../../protocol/wire.ts';
import type { ReloadOutcome } from '../runtime/reload-haproxy.ts';
import type { OperationRun } from '../runtime/run-operations.ts';
import { type AgentRecord, samePlanRef } from '../state/agent-record.ts';
import type { ApplyContext } from './apply-context.ts';

interface Done {
  readonly mode: ApplyResultMode;
  readonly run?: OperationRun;
  readonly reload?: ReloadOutcome;
}

/** What must hold between one accepted apply and the next; violations are counted and logged, and change nothing. */
export function checkInvariants(
  { meters, log }: Pick<ApplyContext, 'meters' | 'log'>,
  before: AgentRecord,
  after: AgentRecord,
  done: Done,
): readonly AgentInvariant[] {
  const rules: readonly (readonly [AgentInvariant, boolean])[] = [
    ['generation_monotonic', after.generation > before.generation],
    ['runtime_mode_does_not_reload', done.mode !== 'runtime' || done.reload === undefined],
    ['reload_mode_reloads', done.mode !== 'reload' || done.reload?.ok === true],
    ['noop_runs_no_ops', done.mode !== 'noop' || done.run === undefined],
    ['journal_only_while_diverged', after.journal.size === 0 || !samePlanRef(after.applied, after.lkg)],
  ];
  const broken = rules.filter(([, holds]) => !holds).map(([name]) => name);
  for (const name of broken) {
    meters.invariant(name);
    log.error({ invariant: name, mode: done.mode, generation: after.generation }, 'invariant violated');
  }
  return broken;
}
