import type { ApplyResult } from '../../protocol/wire.ts';

/** What an apply spent its time on, milliseconds with two decimals; a step that was not taken took none. */
export function applyTiming(
  spent: Partial<Record<'stage' | 'admit' | 'write' | 'ops' | 'finish', number>> & { readonly total: number },
): ApplyResult['timing'] {
  const round = (ms = 0) => Math.round(ms * 100) / 100;
  return {
    stage_ms: round(spent.stage),
    admit_ms: round(spent.admit),
    write_ms: round(spent.write),
    ops_ms: round(spent.ops),
    finish_ms: round(spent.finish),
    total_ms: round(spent.total),
  };
}
