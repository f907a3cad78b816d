import { of } from 'rxjs';
import type { AgentClient } from '../../../src/fleet/agent-client.ts';
import type { AgentState, PlanRoles } from '../../../src/protocol/wire.ts';

const haproxy = { version: '3.4', full_version: '3.4.7', worker_pid: 1, worker_start_time_unix_micros: 1 };
const operations = [
  ...['backend_add', 'backend_publish', 'backend_unpublish', 'backend_del', 'wait_be_removable'],
  ...['server_add', 'server_enable', 'server_disable', 'server_del', 'server_set_addr', 'server_set_weight'],
  ...['server_set_state', 'wait_srv_removable', 'map_add', 'map_set', 'map_del', 'map_replace'],
];
const maps = ['host', 'path', 'default'].map((name) => `maps/${name}.map`);
const runtimeInventory = { generation: 1, maps, certs: [], ca_files: [], crl_files: [], crt_lists: [] };

const rolesOf = (planId: string): PlanRoles => {
  const proof = planId === '' ? '' : 'a:1';
  return {
    applied_plan_id: planId,
    applied_plan_proof: proof,
    running_plan_id: planId,
    running_plan_proof: proof,
    worker_ops_plan_id: planId,
    worker_ops_plan_proof: proof,
    lkg_plan_id: '',
    lkg_plan_proof: '',
  };
};

/** An agent of an empty 3.4 pod that accepts whatever it is sent, at once. */
export function acceptingAgent(): AgentClient {
  const token = { leader_epoch: 0, render_seq: 0 };
  const state: AgentState = {
    ...rolesOf(''),
    api_version: 1,
    agent_version: 'bench',
    plan_schema_version: 1,
    agent_ops: operations,
    features: ['file_patch', 'runtime_batches', 'worker_fence'],
    haproxy,
    generation: 0,
    applied_token: token,
    applied_plan_stored: false,
    files: {},
    runtime_inventory: runtimeInventory,
    pending_deletes: { servers: [], backends: [] },
  };
  return {
    state: () => of(state),
    apply: (_pod, { manifest }) =>
      of({
        kind: 'result',
        result: {
          ...rolesOf(manifest.plan_id),
          plan_id: manifest.plan_id,
          ok: true,
          mode: manifest.mode === 'reload' ? 'reload' : 'runtime',
          applied_token: manifest.token,
          op_results: [],
          haproxy,
          at: '',
          timing: { stage_ms: 0, admit_ms: 0, write_ms: 0, ops_ms: 0, finish_ms: 0, total_ms: 0 },
        },
      }),
    storePlan: () => of('stored' as const),
    close: async () => Promise.resolve(),
  };
}
