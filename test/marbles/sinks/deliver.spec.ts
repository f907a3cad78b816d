import { marbles } from 'rxjs-marbles';
import { NEVER, type Observable, Subject, map, of } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyAnswer } from '../../../src/fleet/agent-client.ts';
import { CodedError } from '../../../src/lib/coded-error.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import type { ApplyRequest } from '../../../src/protocol/apply-request.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import type { AgentState, ApplyResult, ConflictReason, PlanRoles } from '../../../src/protocol/wire.ts';
import { type DeliverDeps, type DeliveryTarget, createDelivery } from '../../../src/sinks/deliver.ts';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const core = { global: 'global\n' };
const profiles = { std: ['mode http'] };
const withServers = (...names: string[]): Plan =>
  makePlan({
    core,
    profiles,
    backends: {
      b: { servers: names.map((name, i) => ({ name, address: `10.0.0.${i + 1}`, port: 80, weight: 100 })) },
    },
  });
const one = withServers('s1');
const two = withServers('s1', 's2');
const other = makePlan({ core: { global: 'global\n  maxconn 9\n' }, profiles });

const pod: HaproxyPod = { key: 'ns/p', uid: 'u', address: '10.1.0.1', port: 5555, containerId: 'c' };
const target = (plan: Plan, extra: Partial<DeliveryTarget> = {}): DeliveryTarget => ({
  pod,
  bundle: { plan, revision: 7, problems: [] },
  sweep: 0,
  ...extra,
});
const haproxy = { version: '3.4', full_version: '3.4.7', worker_pid: 1, worker_start_time_unix_micros: 1 };
const rolesFor = (planId: string): PlanRoles => ({
  applied_plan_id: planId,
  applied_plan_proof: planId === '' ? '' : 'a:1',
  running_plan_id: planId,
  running_plan_proof: planId === '' ? '' : 'a:1',
  worker_ops_plan_id: planId,
  worker_ops_plan_proof: planId === '' ? '' : 'a:1',
  lkg_plan_id: '',
  lkg_plan_proof: '',
});
const held = (plan: Plan | undefined): AgentState['files'] =>
  Object.fromEntries(
    plan === undefined
      ? []
      : [...valuesOf(plan.files)].map((file) => [
          file.path,
          { digest: file.digest, proof: file.digest, size: file.size },
        ]),
  );
const stateOf = (plan: Plan | undefined, extra: Partial<AgentState> = {}): AgentState => ({
  ...rolesFor(plan?.id ?? ''),
  api_version: 1,
  agent_version: 't',
  plan_schema_version: 1,
  agent_ops: [
    'server_add',
    'server_enable',
    'server_disable',
    'server_del',
    'server_set_addr',
    'server_set_weight',
  ],
  features: ['file_patch', 'runtime_batches'],
  haproxy,
  generation: 1,
  applied_token: { leader_epoch: 0, render_seq: 0 },
  applied_plan_stored: false,
  files: held(plan),
  runtime_inventory: { generation: 1, maps: [], certs: [], ca_files: [], crl_files: [], crt_lists: [] },
  pending_deletes: { servers: [], backends: [] },
  ...extra,
});
const resultOf = (request: ApplyRequest, extra: Partial<ApplyResult> = {}): ApplyAnswer => ({
  kind: 'result',
  result: {
    ...rolesFor(request.manifest.plan_id),
    plan_id: request.manifest.plan_id,
    ok: true,
    mode: request.manifest.mode === 'reload' ? 'reload' : 'runtime',
    applied_token: request.manifest.token,
    op_results: request.manifest.ops.map((op) => ({ kind: op.kind, ok: true, output: '' })),
    haproxy,
    at: '',
    timing: { stage_ms: 0, admit_ms: 0, write_ms: 0, ops_ms: 0, finish_ms: 0, total_ms: 0 },
    ...extra,
  },
});
const conflict = (reason: ConflictReason): ApplyAnswer => ({
  kind: 'conflict',
  conflict: { ...rolesFor('x'), reason, applied_token: { leader_epoch: 0, render_seq: 0 } },
});

/** The fake pod: answers come from functions, requests are kept. */
interface FakePod {
  readonly deps: DeliverDeps;
  readonly applies: ApplyRequest[];
  readonly states: { verify?: boolean; plan?: boolean }[];
  state: () => Observable<AgentState>;
  apply: (request: ApplyRequest) => Observable<ApplyAnswer>;
}
let fake: FakePod;
beforeEach(() => {
  const plans = new Map<string, Plan>();
  let sequence = 0;
  fake = {
    applies: [],
    states: [],
    state: () => of(stateOf(undefined)),
    apply: (request) => of(resultOf(request)),
    deps: {
      client: {
        state: (_pod, options = {}) => (fake.states.push(options), fake.state()),
        apply: (_pod, request) => (fake.applies.push(request), fake.apply(request)),
      },
      nextToken: () => ({ leader_epoch: 0, render_seq: ++sequence }),
      plans,
      decodePlan: async () => Promise.resolve(undefined),
      retry: { min: 4, max: 8 },
    },
  };
});

const collect = (report$: Observable<DeliveryReport>): DeliveryReport[] => {
  const seen: DeliveryReport[] = [];
  report$.subscribe((report) => seen.push(report));
  return seen;
};
const word = map((report: DeliveryReport) => (report.kind === 'acked' ? report.mode : report.stage));

describe('delivery to one pod', () => {
  it('asks a pod it does not know, sends everything and has it reload', () => {
    const [report] = collect(createDelivery(fake.deps)(target(one), NEVER));
    expect(fake.states).toEqual([{ verify: true }]);
    expect(fake.applies.map(({ manifest }) => manifest.mode)).toEqual(['reload']);
    expect(fake.applies[0]?.parts.map((part) => part.path)).toEqual(['haproxy.cfg']);
    expect(report).toMatchObject({ kind: 'acked', mode: 'reload', planId: one.id, revision: 7 });
    expect(report).toMatchObject({ reasons: ['no baseline: what the pod holds is not known'] });
  });

  it('sends the next change at once, as operations and a patch, fenced by the last answer', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(target(one), NEVER));
    const [report] = collect(deliver(target(two), NEVER));
    expect(fake.states).toHaveLength(1);
    const { manifest, parts } = fake.applies[1] as ApplyRequest;
    expect(manifest).toMatchObject({
      mode: 'auto',
      expected_prev_plan_id: one.id,
      expected_prev_plan_proof: 'a:1',
      expected_prev_token: { leader_epoch: 0, render_seq: 1 },
      token: { leader_epoch: 0, render_seq: 2 },
    });
    expect(manifest.ops.map(({ kind }) => kind)).toEqual(['server_add', 'server_enable']);
    expect(manifest.files[0]?.patch).toBeDefined();
    expect(parts).toHaveLength(1);
    expect(report).toMatchObject({ kind: 'acked', mode: 'runtime', operations: 2, reasons: [] });
  });

  it('sends nothing to a pod that holds and runs the plan already', () => {
    fake.deps.plans.set(one.id, one);
    fake.state = () => of(stateOf(one));
    const [report] = collect(createDelivery(fake.deps)(target(one), NEVER));
    expect(fake.applies).toEqual([]);
    expect(report).toMatchObject({ kind: 'acked', mode: 'noop' });
  });

  it('asks again at a drift pass, and rewrites a file that somebody else changed', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(target(one), NEVER));
    fake.state = () =>
      of(stateOf(one, { files: { 'haproxy.cfg': { digest: 'f'.repeat(16), proof: '', size: 1 } } }));
    const [report] = collect(deliver(target(one, { sweep: 1 }), NEVER));
    expect(fake.states).toHaveLength(2);
    expect(fake.applies[1]).toMatchObject({
      manifest: { mode: 'auto', ops: [] },
      parts: [{ path: 'haproxy.cfg' }],
    });
    expect(report?.kind).toBe('acked');
  });

  it('asks a pod that came back under the same name', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(target(one), NEVER));
    collect(deliver(target(two, { pod: { ...pod, uid: 'u2' } }), NEVER));
    expect(fake.states).toHaveLength(2);
    expect(fake.applies[1]?.manifest.mode).toBe('reload');
  });

  it('takes the plan from the pod itself after a restart of the controller, so that nothing reloads', async () => {
    fake.state = () =>
      of(stateOf(one, { applied_plan_stored: true, applied_plan: Buffer.from('blob').toString('base64') }));
    const decoded: string[] = [];
    const deps: DeliverDeps = {
      ...fake.deps,
      decodePlan: async (blob) => (decoded.push(Buffer.from(blob).toString()), Promise.resolve(one)),
    };
    const seen = collect(createDelivery(deps)(target(two), NEVER));
    await expect.poll(() => seen.length).toBe(1);
    expect(decoded).toEqual(['blob']);
    expect(seen[0]).toMatchObject({ kind: 'acked', mode: 'runtime' });
  });

  it('reads the state again and composes anew after a conflict', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(target(one), NEVER));
    fake.deps.plans.set(other.id, other);
    fake.state = () => of(stateOf(other));
    fake.apply = (request) => of(fake.applies.length === 2 ? conflict('prev_mismatch') : resultOf(request));
    const seen = collect(deliver(target(two), NEVER));
    expect(fake.applies.map(({ manifest }) => manifest.expected_prev_plan_id)).toEqual([
      '',
      one.id,
      other.id,
    ]);
    expect(seen.map(({ kind }) => kind)).toEqual(['acked']);
  });

  it('sends the complete state in its last round, then gives up for this attempt', () => {
    fake.deps.plans.set(one.id, one);
    fake.state = () => of(stateOf(one));
    fake.apply = () => of(conflict('worker_ops_mismatch'));
    const [report] = collect(createDelivery(fake.deps)(target(two), of(undefined)));
    expect(fake.applies.map(({ manifest }) => manifest.mode)).toEqual(['auto', 'auto', 'reload']);
    expect(report).toMatchObject({ kind: 'failed', stage: 'conflict', message: 'worker_ops_mismatch' });
  });

  it('stands down at once before a newer leader', () => {
    fake.apply = () => of(conflict('stale_epoch'));
    const [report] = collect(createDelivery(fake.deps)(target(one), of(undefined)));
    expect(fake.applies).toHaveLength(1);
    expect(report).toMatchObject({ kind: 'failed', stage: 'conflict', message: 'stale_epoch' });
  });

  it('sends exactly the files that the pod lacks again, whole', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(target(one), NEVER));
    fake.apply = (request) =>
      of(
        fake.applies.length === 2 ? { kind: 'missing' as const, paths: ['haproxy.cfg'] } : resultOf(request),
      );
    const [report] = collect(deliver(target(two), NEVER));
    expect(fake.applies[1]?.manifest.files[0]?.patch).toBeDefined();
    expect(fake.applies[2]?.manifest.files[0]?.patch).toBeUndefined();
    expect(report?.kind).toBe('acked');
  });

  it('reports what HAProxy said when an apply is rejected, and believes nothing of the pod afterwards', () => {
    const deliver = createDelivery(fake.deps);
    fake.apply = (request) =>
      of(
        resultOf(request, {
          ok: false,
          mode: 'rejected',
          error: { stage: 'reload', message: 'reload failed' },
          reload: {
            performed: true,
            ok: false,
            worker_pid: 1,
            took_ms: 1,
            output: '[ALERT] unknown keyword',
          },
        }),
      );
    const [report] = collect(deliver(target(one), of(undefined)));
    expect(report).toMatchObject({
      kind: 'failed',
      stage: 'rejected',
      message: 'reload: reload failed\n[ALERT] unknown keyword',
    });
    collect(deliver(target(one), of(undefined)));
    expect(fake.states).toHaveLength(2);
  });

  it('says why a runtime apply became a reload', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(target(one), NEVER));
    const reload = {
      performed: true,
      ok: true,
      worker_pid: 2,
      took_ms: 1,
      output: '',
      reason: 'op_rejected',
    };
    fake.apply = (request) => of(resultOf(request, { mode: 'reload', reload }));
    const [report] = collect(deliver(target(two), NEVER));
    expect(report).toMatchObject({ kind: 'acked', mode: 'reload', reloaded: true, reasons: ['op_rejected'] });
  });

  it(
    'tries a pod that cannot be reached again with growing delays, until it can',
    marbles((m) => {
      const unreachable = m.cold<AgentState>(
        '  #',
        {},
        new CodedError('HAPTIC_ERR_AGENT_UNREACHABLE', 'refused'),
      );
      const reachable = m.cold('      -s|', { s: stateOf(undefined) });
      let attempts = 0;
      fake.state = () => (++attempts < 4 ? unreachable : reachable);
      const expected = '              u---u-------u--------r|';
      const deliver = createDelivery(fake.deps);
      m.expect(deliver(target(one), NEVER).pipe(word)).toBeObservable(expected, {
        u: 'unreachable',
        r: 'reload',
      });
      m.expect(unreachable).toHaveSubscriptions(['(^!)', '----(^!)', '------------(^!)']);
    }),
  );

  it(
    'leaves its retry delay as soon as something newer waits',
    marbles((m) => {
      const newer = m.hot('          ------n');
      fake.apply = () =>
        m.cold('    (x|)', {
          x: { kind: 'refused', status: 503, error: { stage: 'startup', message: 'wait' } },
        });
      const expected = '             x---x-|';
      const deliver = createDelivery(fake.deps);
      m.expect(deliver(target(one), newer.pipe(map(() => undefined))).pipe(word)).toBeObservable(expected, {
        x: 'refused',
      });
      m.expect(newer).toHaveSubscriptions(['^---!', '----^-!']);
    }),
  );

  it(
    'cancels the request when unsubscribed',
    marbles((m) => {
      const slow = m.cold<ApplyAnswer>('------');
      fake.apply = () => slow;
      m.expect(createDelivery(fake.deps)(target(one), new Subject()), '^--!').toBeObservable('----');
      m.expect(slow).toHaveSubscriptions('^--!');
    }),
  );
});
