import type { AgentState } from '../protocol/wire.ts';

/** An agent's state for people: what is on disk, what runs, what waits, what went wrong. */
export function describeState(state: AgentState, withFiles: boolean): string {
  const { haproxy, applied_token: token, pending_deletes: pending, last_apply: last } = state;
  const files = Object.entries(state.files).sort(([a], [b]) => (a < b ? -1 : 1));
  const bytes = files.reduce((sum, [, { size }]) => sum + size, 0);
  const started = new Date(haproxy.worker_start_time_unix_micros / 1000).toISOString();
  const waiting = [...pending.servers, ...pending.backends];
  const rows: [string, string | undefined][] = [
    ['agent', `${state.agent_version}, ${String(state.generation)} accepted applies`],
    ['haproxy', `${haproxy.full_version}, pid ${String(haproxy.worker_pid)} since ${started}`],
    ['on disk', role(state.applied_plan_id, state.applied_plan_proof)],
    ['running', role(state.running_plan_id, state.running_plan_proof)],
    ['worker', role(state.worker_ops_plan_id, state.worker_ops_plan_proof)],
    ['last good', role(state.lkg_plan_id, state.lkg_plan_proof)],
    ['token', `epoch ${String(token.leader_epoch)}, render ${String(token.render_seq)}`],
    ['plan kept', state.applied_plan_stored ? 'yes' : 'no'],
    ['reload at', state.reload_pending_at],
    ['to delete', waiting.length === 0 ? undefined : waiting.join(' ')],
    ['files', `${String(files.length)}, ${String(bytes)} bytes`],
    [
      'last apply',
      last && `${last.mode}${last.ok ? '' : ', refused'} at ${last.at}, ${String(last.timing.total_ms)} ms`,
    ],
    ['error', last?.error && `${last.error.stage}: ${last.error.message}`],
    ['violation', state.invariant_violation],
  ];
  const table = rows.filter((row): row is [string, string] => row[1] !== undefined);
  const lines = table.map(([name, value]) => `${name.padEnd(12)}${value}`);
  const list = withFiles
    ? files.map(([path, { digest, size }]) => `  ${digest}  ${String(size).padStart(9)}  ${path}`)
    : [];
  return `${[...lines, ...list].join('\n')}\n`;
}

function role(id: string, proof: string): string {
  return id === '' ? 'unknown' : `${id} ${proof}`;
}
