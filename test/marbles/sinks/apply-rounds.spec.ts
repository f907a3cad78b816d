import { marbles } from 'rxjs-marbles';
import { type Observable, NEVER, map, of, tap } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyAnswer } from '../../../src/fleet/agent-client.ts';
import type { ApplyRequest } from '../../../src/protocol/apply-request.ts';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import { createDelivery } from '../../../src/sinks/deliver.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';
import { makePlan } from '../../fixtures/make-plan.ts';
import {
  conflictOf,
  type FakePods,
  fakePods,
  planWith,
  resultOf,
  rolesFor,
  stateOf,
  structural as other,
  targetOf,
} from '../../fixtures/fake-pod.ts';

const one = planWith('s1');
const two = planWith('s1', 's2');
let fake: FakePods;
beforeEach(() => (fake = fakePods()));

/** What comes at once; deliveries go on afterwards. */
const collect = (report$: Observable<DeliveryReport>): DeliveryReport[] => {
  const seen: DeliveryReport[] = [];
  report$.subscribe((report) => seen.push(report)).unsubscribe();
  return seen;
};
const word = map((report: DeliveryReport) =>
  report.kind === 'acked' ? report.mode : report.kind === 'failed' ? report.stage : report.kind,
);

describe('one attempt at one pod', () => {
  it('asks a pod it does not know, sends everything and has it reload', () => {
    const [report] = collect(createDelivery(fake.deps)(targetOf(one), NEVER));
    expect(fake.states).toEqual([{ verify: true }]);
    expect(fake.applies.map(({ manifest }) => manifest.mode)).toEqual(['reload']);
    expect(fake.applies[0]?.parts.map((part) => part.path)).toEqual(['haproxy.cfg']);
    expect(report).toMatchObject({ kind: 'acked', mode: 'reload', planId: one.id, revision: 7 });
    expect(report).toMatchObject({ reasons: ['no baseline: what the pod holds is not known'] });
    expect(report).toMatchObject({ converged: true, observed: false, haproxyVersion: '3.4.7' });
  });

  it('sends the next change at once, as operations and a patch, fenced by the last answer', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(one), NEVER));
    const [report] = collect(deliver(targetOf(two), NEVER));
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
    expect(report).toMatchObject({ operationKinds: { server_add: 1, server_enable: 1 } });
  });

  it('says of files what changes once the pod is known to hold the former ones, and all where it asks for bytes', () => {
    const features = ['file_patch', 'worker_fence', 'file_changes'];
    const withFile = (text: string, name = 'a') =>
      makePlan({
        core: { global: 'global\n' },
        files: { [`files/${name}`]: { text, reloadOnChange: false } },
      });
    const [before, after, last] = [withFile('1'), withFile('2'), withFile('2', 'b')];
    fake.state = () => of(stateOf(undefined, { features }));
    const deliver = createDelivery(fake.deps);
    const filesOf = (request: ApplyRequest | undefined) => [
      request?.manifest.files.map(({ path }) => path),
      request?.manifest.removed_files,
    ];
    collect(deliver(targetOf(before), NEVER));
    expect(filesOf(fake.applies[0])).toEqual([['files/a', 'haproxy.cfg'], undefined]);
    collect(deliver(targetOf(after), NEVER));
    expect(filesOf(fake.applies[1])).toEqual([['files/a'], []]);
    const answers: ApplyAnswer[] = [{ kind: 'missing', paths: ['haproxy.cfg'] }];
    fake.apply = (request) => of(answers.shift() ?? resultOf(request));
    collect(deliver(targetOf(last), NEVER));
    expect(filesOf(fake.applies[2])).toEqual([['files/b'], ['files/a']]);
    expect(filesOf(fake.applies[3])).toEqual([['files/b', 'haproxy.cfg'], undefined]);
    expect(fake.applies[3]?.parts.map(({ path }) => path)).toEqual(['files/b', 'haproxy.cfg']);

    fake = fakePods();
    fake.deps.plans.set(before);
    fake.state = () => of(stateOf(before, { features }));
    collect(createDelivery(fake.deps)(targetOf(after), NEVER));
    expect(filesOf(fake.applies[0])).toEqual([['files/a'], []]);
  });

  it.each([
    ['runtime', 0],
    ['reload', limits.pendingServerDeletes],
  ])('asks whether deletions still wait before it reloads because of them: %s', (mode, left) => {
    const before = planWith('s1', 's2');
    const waiting = (count: number) => ({
      pending_deletes: { servers: Array.from({ length: count }, (_, n) => `b/gone${n}`), backends: [] },
    });
    fake.apply = (request) => of(resultOf(request, waiting(limits.pendingServerDeletes)));
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(before), NEVER));
    fake.state = () => of(stateOf(before, waiting(left)));
    const [report] = collect(deliver(targetOf(one), NEVER));
    expect(fake.states.slice(1)).toEqual([{ verify: false }]);
    expect(report).toMatchObject({ kind: 'acked', mode });
    expect(fake.applies).toHaveLength(2);
  });

  it('sends nothing to a pod that holds and runs the plan already', () => {
    fake.deps.plans.set(one);
    fake.state = () => of(stateOf(one));
    const [report] = collect(createDelivery(fake.deps)(targetOf(one), NEVER));
    expect(fake.applies).toEqual([]);
    expect(report).toMatchObject({ kind: 'acked', mode: 'noop', converged: true, observed: true });
  });

  it('sends nothing to a pod that waits for the reload on the plan', () => {
    fake.deps.plans.set(one);
    fake.state = () =>
      of(
        stateOf(one, {
          running_plan_id: 'former',
          worker_ops_plan_id: 'former',
          reload_pending_at: '1970-01-01T00:01:00Z',
        }),
      );
    const [report] = collect(createDelivery(fake.deps)(targetOf(one), NEVER));
    expect(fake.applies).toEqual([]);
    expect(report).toMatchObject({ kind: 'acked', mode: 'scheduled', converged: false, observed: true });
  });

  it('has a pod reload that runs something else than it holds, and has no reload to come', () => {
    fake.deps.plans.set(one);
    fake.state = () => of(stateOf(one, { running_plan_id: 'former' }));
    const [report] = collect(createDelivery(fake.deps)(targetOf(one), NEVER));
    expect(fake.applies.map(({ manifest }) => manifest.mode)).toEqual(['reload']);
    expect(report).toMatchObject({ reasons: ['the pod runs something else than it holds'] });
  });

  it('rewrites a file that somebody else changed', () => {
    fake.deps.plans.set(one);
    fake.state = () =>
      of(stateOf(one, { files: { 'haproxy.cfg': { digest: 'f'.repeat(16), proof: '', size: 1 } } }));
    const [report] = collect(createDelivery(fake.deps)(targetOf(one), NEVER));
    expect(fake.applies).toMatchObject([
      { manifest: { mode: 'auto', ops: [] }, parts: [{ path: 'haproxy.cfg' }] },
    ]);
    expect(report).toMatchObject({ kind: 'acked', mode: 'file_only', drifted: ['haproxy.cfg'] });
  });

  it('asks a pod that came back under the same name or address', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(one), NEVER));
    for (const replaced of [{ uid: 'u2' }, { containerId: 'c2' }, { haproxyContainerId: 'h2' }]) {
      const before = fake.states.length;
      collect(deliver(targetOf(two, podOf('ns/p', replaced)), NEVER));
      expect(fake.states).toHaveLength(before + 1);
      expect(fake.applies.at(-1)?.manifest.mode).toBe('reload');
    }
  });

  it('takes the plan from the pod itself after a restart of the controller, so that nothing reloads', async () => {
    const decoded: string[] = [];
    fake = fakePods({
      decodePlan: async (blob) => (decoded.push(Buffer.from(blob).toString()), Promise.resolve(one)),
    });
    fake.state = () =>
      of(stateOf(one, { applied_plan_stored: true, applied_plan: Buffer.from('blob').toString('base64') }));
    const seen: DeliveryReport[] = [];
    const delivering = createDelivery(fake.deps)(targetOf(two), NEVER).subscribe((report) =>
      seen.push(report),
    );
    await expect.poll(() => seen.length).toBe(1);
    delivering.unsubscribe();
    expect(decoded).toEqual(['blob']);
    expect(seen[0]).toMatchObject({ kind: 'acked', mode: 'runtime' });
  });

  it('fetches a copy that is of no use only once', async () => {
    const stored = { applied_plan_stored: true, applied_plan: 'blob' };
    fake.state = () => of(stateOf(one, stored));
    fake.apply = () => of(conflictOf('prev_mismatch'));
    const seen: DeliveryReport[] = [];
    const delivering = createDelivery(fake.deps)(targetOf(two), NEVER).subscribe((report) =>
      seen.push(report),
    );
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    delivering.unsubscribe();
    expect(fake.states.slice(0, 4)).toEqual([
      { verify: true },
      { plan: true },
      { verify: true },
      { verify: true },
    ]);
  });

  it('has what HAProxy accepted become the last known good with the next apply, and nothing else', () => {
    const deliver = createDelivery(fake.deps);
    fake.accepted.add(one.id);
    collect(deliver(targetOf(one), NEVER));
    collect(deliver(targetOf(two), NEVER));
    collect(deliver(targetOf(one), NEVER));
    const validated = fake.applies.map(({ manifest }) => [
      manifest.validated_plan_id,
      manifest.validated_plan_proof,
    ]);
    // The first apply finds nothing to vouch for, the third one a plan that HAProxy has not accepted.
    expect(validated).toEqual([
      [undefined, undefined],
      [one.id, 'a:1'],
      [undefined, undefined],
    ]);
  });

  it('gives the blob along with a reload where it is there, and never delays an apply for it', () => {
    const blob = Buffer.from('blob');
    const pods = fakePods({ blobOf: (plan) => (plan.id === structural(plan) ? undefined : blob) });
    const deliver = createDelivery(pods.deps);
    const [first] = collect(deliver(targetOf(one), NEVER));
    const [second] = collect(deliver(targetOf(two), NEVER));
    expect(pods.applies.map(({ plan }) => plan)).toEqual([blob, undefined]);
    expect([first, second]).toMatchObject([{ isPlanStored: true }, { isPlanStored: false }]);
  });

  const structural = (plan: { readonly id: string }) => (plan.id === other.id ? plan.id : '');
});

describe('answers of a pod', () => {
  it('prev_mismatch: reads the state again and composes anew', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(one), NEVER));
    fake.deps.plans.set(other);
    fake.state = () => of(stateOf(other));
    fake.apply = (request) => of(fake.applies.length === 2 ? conflictOf('prev_mismatch') : resultOf(request));
    const seen = collect(deliver(targetOf(two), NEVER));
    expect(fake.applies.map(({ manifest }) => manifest.expected_prev_plan_id)).toEqual([
      '',
      one.id,
      other.id,
    ]);
    expect(seen.map(({ kind }) => kind)).toEqual(['acked']);
  });

  it('prev_mismatch twice: sends the complete state in the last round, then gives up for this attempt', () => {
    fake.deps.plans.set(one);
    fake.state = () => of(stateOf(one));
    fake.apply = () => of(conflictOf('prev_mismatch'));
    const [report] = collect(createDelivery(fake.deps)(targetOf(two), NEVER));
    expect(fake.applies.map(({ manifest }) => manifest.mode)).toEqual(['auto', 'auto', 'reload']);
    expect(report).toMatchObject({ kind: 'failed', stage: 'conflict', message: 'prev_mismatch' });
  });

  it('worker_ops_mismatch: reads again and composes anew, and never has it reload for that', () => {
    fake.deps.plans.set(one);
    fake.state = () => of(stateOf(one));
    fake.apply = () => of(conflictOf('worker_ops_mismatch'));
    const [report] = collect(createDelivery(fake.deps)(targetOf(two), NEVER));
    expect(fake.applies.map(({ manifest }) => manifest.mode)).toEqual(['auto', 'auto', 'auto']);
    expect(report).toMatchObject({ kind: 'failed', stage: 'conflict', message: 'worker_ops_mismatch' });
  });

  it('unknown_baseline: sends the complete state and has it reload', () => {
    fake.deps.plans.set(one);
    fake.state = () => of(stateOf(one));
    fake.apply = (request) =>
      of(fake.applies.length === 1 ? conflictOf('unknown_baseline') : resultOf(request));
    const [report] = collect(createDelivery(fake.deps)(targetOf(two), NEVER));
    expect(fake.applies.map(({ manifest }) => manifest.mode)).toEqual(['auto', 'reload']);
    expect(fake.applies[1]?.manifest.files[0]?.patch).toBeUndefined();
    expect(report).toMatchObject({ kind: 'acked', mode: 'reload' });
  });

  it('missing: sends exactly these files again, whole', () => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(one), NEVER));
    fake.apply = (request) =>
      of(fake.applies.length === 2 ? { kind: 'missing', paths: ['haproxy.cfg'] } : resultOf(request));
    const [report] = collect(deliver(targetOf(two), NEVER));
    expect(fake.applies[1]?.manifest.files[0]?.patch).toBeDefined();
    expect(fake.applies[2]?.manifest.files[0]?.patch).toBeUndefined();
    expect(fake.applies[2]?.manifest.mode).toBe('auto');
    expect(report?.kind).toBe('acked');
  });

  it('missing, each time: gives up and names them', () => {
    fake.apply = () => of({ kind: 'missing', paths: ['a', 'b'] });
    const [report] = collect(createDelivery(fake.deps)(targetOf(one), NEVER));
    expect(fake.applies).toHaveLength(3);
    expect(report).toMatchObject({ kind: 'failed', stage: 'conflict', message: 'missing files: a, b' });
  });

  it('a refusal by HAProxy: reports its words, and believes nothing of the pod afterwards', () => {
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
    const [report] = collect(deliver(targetOf(one), NEVER));
    expect(report).toMatchObject({
      kind: 'failed',
      stage: 'rejected',
      message: 'reload: reload failed\n[ALERT] unknown keyword',
    });
    collect(deliver(targetOf(one), NEVER));
    expect(fake.states).toHaveLength(2);
  });

  it.each([
    ['op_rejected', 'cannot', 'op_rejected'],
    ['name_collision', 'already used by other proxy', 'name_collision'],
    ['unknown_op: a command is too long', '', 'unknown_op'],
    ['worker_changed', '', 'worker_changed'],
    ['pending_delete', '', 'pending_delete'],
    ['something new', '', 'other'],
  ])('operations that ended in a reload: %s %s counts as %s', (reason, output, fallback) => {
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(one), NEVER));
    const reload = { performed: true, ok: true, worker_pid: 2, took_ms: 1, output: '', reason };
    const op_results = output === '' ? [] : [{ kind: 'server_add', ok: false, output }];
    fake.apply = (request) => of(resultOf(request, { mode: 'reload', reload, op_results }));
    const [report] = collect(deliver(targetOf(two), NEVER));
    expect(report).toMatchObject({ mode: 'reload', reloaded: true, reasons: [reason], fallback });
  });

  it.each([
    [{ api_version: 2 }, 'the agent speaks version 2 of the protocol'],
    [{ features: ['file_patch'] }, 'the agent does not fence its worker'],
    [{ agent_ops: ['server_set_addr'] }, 'the agent does not execute server_add'],
  ])('an agent of another release, %j: gets the complete state and a reload', (skewed, skew) => {
    fake.deps.plans.set(one);
    fake.state = () => of(stateOf(one, skewed as Partial<AgentState>));
    const [report] = collect(createDelivery(fake.deps)(targetOf(two), NEVER));
    expect(fake.applies[0]?.manifest).toMatchObject({ mode: 'reload', ops: [] });
    expect(report).toMatchObject({ kind: 'acked', mode: 'reload', skew });
    expect(report?.kind === 'acked' ? report.reasons : []).toContain(skew);
  });

  it('an agent that keeps plans of another schema: is told apart from one that holds nothing', () => {
    fake.state = () => of(stateOf(one, { plan_schema_version: 99 }));
    const [skewed] = collect(createDelivery(fake.deps)(targetOf(two), NEVER));
    expect(skewed).toMatchObject({ mode: 'reload', skew: 'the agent keeps plans of schema 99' });
    const empty = fakePods();
    empty.state = () => of(stateOf(undefined, { plan_schema_version: 99 }));
    const [fresh] = collect(createDelivery(empty.deps)(targetOf(two), NEVER));
    expect(fresh).not.toHaveProperty('skew');
  });

  it(
    'stale_epoch, and the counter had regressed: is tried again under the new epoch',
    marbles((m) => {
      let epoch = 0;
      const reclaim = m.cold('--r|', { r: 'reclaimed' as const });
      const floors: number[] = [];
      fake = fakePods({
        epoch: {
          current: () => epoch,
          isHeld: () => true,
          reclaim: (floor) => (floors.push(floor), (epoch = floor + 1), reclaim),
        },
      });
      fake.apply = (request) =>
        of(request.manifest.token.leader_epoch < 5 ? conflictOf('stale_epoch', 4) : resultOf(request));
      const expected = '       --c---r';
      const unsub = '          ^------!';
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), unsub).toBeObservable(expected, {
        c: 'conflict',
        r: 'reload',
      });
      m.expect(reclaim).toHaveSubscriptions('^--!');
      m.flush();
      expect(floors).toEqual([4]);
    }),
  );

  it(
    'stale_epoch, and another leader is behind it: sends nothing more',
    marbles((m) => {
      const reclaim = m.cold('--f|', { f: 'foreign' as const });
      fake = fakePods({ epoch: { current: () => 0, isHeld: () => true, reclaim: () => reclaim } });
      fake.apply = () => of(conflictOf('stale_epoch', 4));
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word)).toBeObservable('--f|', {
        f: 'foreign_leader',
      });
      m.flush();
      expect(fake.applies).toHaveLength(1);
    }),
  );

  it(
    'none: what was sent before it was cut off is asked about, never sent on a guess',
    marbles((m) => {
      const slow = m.cold<ApplyAnswer>('------');
      const deliver = createDelivery(fake.deps);
      collect(deliver(targetOf(one), NEVER));
      fake.apply = () => slow;
      fake.deps.plans.set(two);
      fake.state = () => of(stateOf(two, rolesFor(two.id)));
      m.expect(deliver(targetOf(two), NEVER), '^--!').toBeObservable('----');
      m.expect(slow).toHaveSubscriptions('^--!');
      m.flush();
      const [report] = collect(deliver(targetOf(two), NEVER));
      expect(fake.states).toHaveLength(2);
      expect(fake.applies).toHaveLength(2);
      expect(report).toMatchObject({ kind: 'acked', mode: 'noop' });
    }),
  );
});

describe('a term', () => {
  const epochs = (epoch: number, isHeld: () => boolean = () => true) => ({
    current: () => epoch,
    isHeld,
    reclaim: () => of('foreign' as const),
  });

  it('is made known to a pod that has what it should have: it refuses every former leader from then on', () => {
    fake = fakePods({ epoch: epochs(7) });
    fake.deps.plans.set(one);
    fake.state = () => of(stateOf(one, { applied_token: { leader_epoch: 6, render_seq: 9 } }));
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(one), NEVER));
    expect(fake.applies.map(({ manifest: { token, ops, mode } }) => [token.leader_epoch, ops, mode])).toEqual(
      [[7, [], 'auto']],
    );
    collect(deliver(targetOf(one), NEVER));
    expect(fake.applies).toHaveLength(1);
  });

  it('asks every pod first: what was known of it is of a time when another one may have led', () => {
    let epoch = 7;
    fake = fakePods({ epoch: { ...epochs(7), current: () => epoch } });
    const deliver = createDelivery(fake.deps);
    collect(deliver(targetOf(one), NEVER));
    collect(deliver(targetOf(two), NEVER));
    expect(fake.states).toHaveLength(1);
    epoch = 8;
    fake.state = () => of(stateOf(one, { applied_token: { leader_epoch: 7, render_seq: 1 } }));
    collect(deliver(targetOf(two), NEVER));
    expect(fake.states).toHaveLength(2);
  });

  it(
    'that is over has nothing more sent, neither what comes after a question nor what comes after a conflict',
    marbles((m) => {
      let isHeld = true;
      fake = fakePods({ epoch: epochs(0, () => isHeld) });
      const state = m.cold('    ---s|', { s: stateOf(undefined) });
      fake.state = () => state;
      const over$ = m.hot('     --x').pipe(tap(() => (isHeld = false)));
      const deliver = createDelivery(fake.deps);
      m.expect(over$, '         ^------!').toBeObservable('--x');
      m.expect(deliver(targetOf(one), NEVER)).toBeObservable('----|');
      m.expect(state).toHaveSubscriptions('^---!');
      m.flush();
      expect(fake.applies).toEqual([]);
      isHeld = true;
      fake.state = () => of(stateOf(undefined));
      fake.apply = () => ((isHeld = false), of(conflictOf('prev_mismatch')));
      expect(collect(deliver(targetOf(one), NEVER))).toEqual([]);
      expect(fake.applies).toHaveLength(1);
    }),
  );

  it('of somebody else has nothing done to a pod', () => {
    expect(collect(createDelivery(fake.deps)({ kind: 'leave', pod: podOf('p') }, NEVER))).toEqual([]);
    expect([...fake.applies, ...fake.states]).toEqual([]);
  });
});
