import { marbles } from 'rxjs-marbles';
import { type Observable, NEVER, map, merge, mergeMap, of, take } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyAnswer } from '../../../src/fleet/agent-client.ts';
import { CodedError } from '../../../src/lib/coded-error.ts';
import { createSlots } from '../../../src/operators/create-slots.ts';
import type { ApplyRequest } from '../../../src/protocol/apply-request.ts';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import { createDelivery, type DeliveryTiming } from '../../../src/sinks/deliver.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';
import {
  type FakePods,
  fakePods,
  fakeTiming,
  planWith,
  resultOf,
  rolesFor,
  scheduledAt,
  stateOf,
  structural,
  targetOf,
} from '../../fixtures/fake-pod.ts';

const one = planWith('s1');
const two = planWith('s1', 's2');
const gone = new CodedError('HAPTIC_ERR_AGENT_UNREACHABLE', 'refused');
let fake: FakePods;
beforeEach(() => (fake = fakePods()));

const timed = (timing: Partial<DeliveryTiming>): FakePods =>
  fakePods({ timing: { ...fakeTiming, ...timing } });
const nothing = map(() => undefined);
/** n noop, r reload, a runtime, f file_only, s scheduled; u unreachable, t timeout, x rejected, y refused. */
const word = map((report: DeliveryReport) => {
  if (report.kind === 'reverted') return 'v';
  const words: Record<string, string> = {
    noop: 'n',
    reload: 'r',
    runtime: 'a',
    file_only: 'f',
    scheduled: 's',
  };
  const stages: Record<string, string> = { unreachable: 'u', timeout: 't', rejected: 'x', refused: 'y' };
  return report.kind === 'acked' ? words[report.mode] : stages[report.stage];
});

describe('a pod that fails', () => {
  it(
    'is tried again with growing delays, until it can be reached',
    marbles((m) => {
      const unreachable = m.cold<AgentState>('  #', {}, gone);
      const reachable = m.cold('                         -s', { s: stateOf(undefined) });
      let attempts = 0;
      fake.state = () => (++attempts < 4 ? unreachable : reachable);
      const expected = '                    u---u-------u--------r';
      const unsub = '                       ^---------------------!';
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), unsub).toBeObservable(expected);
      m.expect(unreachable).toHaveSubscriptions(['(^!)', '----(^!)', '------------(^!)']);
    }),
  );

  it(
    'leaves its delay as soon as something newer waits',
    marbles((m) => {
      const newer = m.hot('          ------n');
      fake.apply = () =>
        m.cold('    (x|)', {
          x: { kind: 'refused', status: 503, error: { stage: 'startup', message: 'wait' } },
        });
      const expected = '             y---y-|';
      const deliver = createDelivery(fake.deps);
      m.expect(deliver(targetOf(one), newer.pipe(nothing)).pipe(word)).toBeObservable(expected);
      m.expect(newer).toHaveSubscriptions(['^---!', '----^-!']);
    }),
  );

  it(
    'is given up after syncTimeout, and asked before anything is sent again',
    marbles((m) => {
      fake = timed({ syncTimeout: 6, retry: { min: 2, max: 2 } });
      const never = m.cold<ApplyAnswer>('------------');
      fake.apply = (request) => (fake.applies.length === 1 ? never : of(resultOf(request)));
      const expected = '       ------t-r';
      const unsub = '          ^--------!';
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), unsub).toBeObservable(expected);
      m.expect(never).toHaveSubscriptions('^-----!');
      m.flush();
      expect(fake.states).toHaveLength(2);
    }),
  );

  it(
    'is bounded by no time that is set to 0',
    marbles((m) => {
      fake = timed({ syncTimeout: 0, deploymentTimeout: 0 });
      const never = m.cold<ApplyAnswer>('            ---------');
      fake.apply = () => never;
      const newer = m.hot('   --nn-n');
      const deliver = createDelivery(fake.deps);
      const p = deliver(targetOf(one, podOf('p')), merge(newer, NEVER).pipe(nothing));
      m.expect(p.pipe(word), '^-------!').toBeObservable('--------');
      m.expect(never).toHaveSubscriptions('^-------!');
    }),
  );

  it(
    'may take as long as syncTimeout as long as nothing newer waits, and deploymentTimeout else',
    marbles((m) => {
      fake = timed({ syncTimeout: 100, deploymentTimeout: 5 });
      const never = m.cold<ApplyAnswer>('            --------------');
      fake.apply = () => never;
      const early = m.hot('   --n');
      const late = m.hot('    -------n');
      const deliver = createDelivery(fake.deps);
      const p = deliver(targetOf(one, podOf('p')), merge(early, NEVER).pipe(nothing));
      const q = deliver(targetOf(one, podOf('q')), late.pipe(nothing));
      // What came before the time is up is told to late subscribers by perKeyLatest; a hot marble does not.
      m.expect(p.pipe(word), '^--------!').toBeObservable('---------');
      m.expect(q.pipe(word), '^--------!').toBeObservable('-------t');
      m.expect(late).toHaveSubscriptions(['-----^-!', '-------^-!']);
      m.expect(never).toHaveSubscriptions(['^--------!', '^------!']);
    }),
  );
});

describe('many pods', () => {
  it(
    'are written to side by side, as many as there are slots; waiting takes none',
    marbles((m) => {
      fake = fakePods({
        slots: createSlots({ total: 2, suspects: 1 }),
        timing: { ...fakeTiming, retry: { min: 100, max: 100 } },
      });
      const p = m.cold('       -----x|');
      const q = m.cold('       -----x|');
      const s = m.cold('            -----x|');
      const refused: ApplyAnswer = {
        kind: 'refused',
        status: 500,
        error: { stage: 'write', message: 'full' },
      };
      const answers: Record<string, Observable<unknown>> = { p, q, s };
      const answerTo = (request: ApplyRequest) => map(() => resultOf(request));
      fake.apply = (request, { key }) => answers[key]?.pipe(take(1), answerTo(request)) ?? of(refused);
      const deliver = createDelivery(fake.deps);
      // The first two fail at once and wait for their next attempt: the others do not wait for that.
      const keys = ['bad', 'worse', 'p', 'q', 's'];
      const all = merge(...keys.map((key) => deliver(targetOf(one, podOf(key)), NEVER)));
      const expected = '       (yy)-(rr)-r-';
      const unsub = '          ^----------!';
      m.expect(all.pipe(word), unsub).toBeObservable(expected);
      m.expect(p).toHaveSubscriptions('^----!');
      m.expect(q).toHaveSubscriptions('^----!');
      m.expect(s).toHaveSubscriptions('-----^----!');
    }),
  );

  it(
    'do not wait for those that answered too late last time',
    marbles((m) => {
      fake = fakePods({
        timing: { ...fakeTiming, syncTimeout: 4, retry: { min: 1, max: 1 } },
        slots: createSlots({ total: 2, suspects: 1 }),
      });
      const never = m.cold<ApplyAnswer>('----------------');
      fake.apply = (request, { key }) => (key.startsWith('slow') ? never : of(resultOf(request)));
      const deliver = createDelivery(fake.deps);
      const slow = merge(...['slow1', 'slow2'].map((key) => deliver(targetOf(one, podOf(key)), NEVER)));
      m.expect(slow.pipe(word), ' ^---------!').toBeObservable('----(tt)-t');
      // Both are tried again from 5 on; one of them has a slot, the other is left for who is not slow.
      m.expect(deliver(targetOf(one, podOf('p')), NEVER).pipe(word), '------^--!').toBeObservable('------r');
    }),
  );
});

describe('a pod whose reload is to come', () => {
  it(
    'is only watched, from the time on at which it is due, and reported when it runs the plan',
    marbles((m) => {
      fake.apply = (request) => of(scheduledAt(request, 5));
      const pending = { ...rolesFor(one.id, { running_plan_id: '' }), reload_pending_at: 'soon' };
      const first = m.cold('        s|', { s: stateOf(undefined) });
      const waiting = m.cold('           w|', { w: stateOf(one, pending) });
      const done = m.cold('                  d|', { d: stateOf(one) });
      const answers = [first, waiting, done];
      fake.state = () => answers.shift() ?? NEVER;
      const expected = '            s--------r';
      const unsub = '               ^-----------!';
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), unsub).toBeObservable(expected);
      m.expect(first).toHaveSubscriptions('^!');
      m.expect(waiting).toHaveSubscriptions('-----^!');
      m.expect(done).toHaveSubscriptions('---------(^!)');
      m.flush();
      expect(fake.applies).toHaveLength(1);
    }),
  );

  it(
    'gets what is newer at once, with what may be done in place while it waits',
    marbles((m) => {
      fake.apply = (request) => of(scheduledAt(request, 20, one.id));
      fake.deps.plans.set(one);
      fake.state = () => of(stateOf(one));
      const newer = m.hot('     ---n');
      const expected = '        s--|';
      m.expect(
        createDelivery(fake.deps)(targetOf(structural), newer.pipe(nothing)).pipe(word),
      ).toBeObservable(expected);
      m.expect(newer).toHaveSubscriptions('^--!');
      m.flush();
      expect(fake.states).toHaveLength(1);
    }),
  );

  it(
    'is asked before it gets anything newer when the reload was due meanwhile',
    marbles((m) => {
      fake.apply = (request) => of(fake.applies.length === 1 ? scheduledAt(request, 3) : resultOf(request));
      fake.state = () => of(stateOf(fake.applies.length === 0 ? undefined : one));
      const deliver = createDelivery(fake.deps);
      const newer = m.hot('     -n');
      m.expect(deliver(targetOf(one), newer.pipe(nothing)).pipe(word)).toBeObservable('s|');
      const later = m.cold('    ----l|');
      const unsub = '           ^-----!';
      m.expect(
        later.pipe(
          mergeMap(() => deliver(targetOf(two), NEVER)),
          word,
        ),
        unsub,
      ).toBeObservable('                       ----a');
      m.flush();
      expect(fake.states).toHaveLength(2);
      expect(fake.applies[1]?.manifest.expected_prev_plan_id).toBe(one.id);
    }),
  );

  it(
    'has failed when it gives the plan up, with the words of the reload',
    marbles((m) => {
      fake.apply = (request) => of(scheduledAt(request, 2));
      const last = resultOf(
        { manifest: { ops: [], mode: 'reload', plan_id: 'p' } as never, parts: [] },
        { ok: false, mode: 'rejected', error: { stage: 'reload', message: 'unknown keyword' } },
      );
      const gaveUp = stateOf(undefined, last.kind === 'result' ? { last_apply: last.result } : {});
      fake.state = () => of(gaveUp);
      const unsub = '      ^---!';
      const messages: string[] = [];
      m.expect(
        createDelivery(fake.deps)(targetOf(one), NEVER).pipe(
          map((report) => (report.kind === 'failed' && messages.push(report.message), report)),
          word,
        ),
        unsub,
      ).toBeObservable('   s-x');
      m.flush();
      expect(messages).toEqual(['reload: unknown keyword']);
    }),
  );

  it(
    'is unreachable when it does not answer while it is watched',
    marbles((m) => {
      fake.apply = (request) => of(scheduledAt(request, 2));
      const lost = m.cold<AgentState>('-#', {}, gone);
      fake.state = () => (fake.applies.length === 0 ? of(stateOf(undefined)) : lost);
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), '^---!').toBeObservable('s--u');
      m.expect(lost).toHaveSubscriptions('--^!');
    }),
  );
});

describe('a pod that gets nothing for a while', () => {
  it(
    'is asked what it holds, each time after the interval and its own share of the spread',
    marbles((m) => {
      fake = fakePods({
        random: () => 0.5,
        timing: { ...fakeTiming, driftInterval: 4, driftSpread: 0.5 },
      });
      const state = m.cold('     s|', { s: stateOf(one) });
      fake.deps.plans.set(one);
      fake.state = () => state;
      const expected = '         n----n----n';
      const unsub = '            ^------------!';
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), unsub).toBeObservable(expected);
      m.expect(state).toHaveSubscriptions(['^!', '-----^!', '----------^!']);
      m.flush();
      expect(fake.states).toEqual([{ verify: true }, { verify: true }, { verify: true }]);
      expect(fake.applies).toEqual([]);
    }),
  );

  it(
    'gets back what somebody changed, as a correction',
    marbles((m) => {
      fake = timed({ driftInterval: 4 });
      const edited = { files: { 'haproxy.cfg': { digest: 'f'.repeat(16), proof: '', size: 1 } } };
      fake.deps.plans.set(one);
      fake.state = () => of(stateOf(one, fake.states.length === 2 ? edited : {}));
      const causes: unknown[] = [];
      m.expect(
        createDelivery(fake.deps)(targetOf(one), NEVER).pipe(
          map((report) => (report.kind === 'acked' && causes.push([report.cause, report.drifted]), report)),
          word,
        ),
        '                        ^---------!',
      ).toBeObservable('         n---f---n');
      m.flush();
      expect(causes).toEqual([
        ['change', []],
        ['drift', ['haproxy.cfg']],
        ['drift', []],
      ]);
    }),
  );

  it(
    'is told once that HAProxy accepted what it holds, so that it may count on it',
    marbles((m) => {
      fake = timed({ driftInterval: 4 });
      fake.accepted.add(one.id);
      fake.deps.plans.set(one);
      let lkg = 'former';
      fake.state = () => of(stateOf(one, { lkg_plan_id: lkg }));
      fake.apply = (request) => ((lkg = one.id), of(resultOf(request, { mode: 'noop' })));
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), '^---------!').toBeObservable(
        '                        n---n---n',
      );
      m.flush();
      expect(fake.applies.map(({ manifest }) => [manifest.mode, manifest.validated_plan_id])).toEqual([
        ['auto', one.id],
      ]);
    }),
  );

  it(
    'is left alone as soon as something newer waits, while it is asked too',
    marbles((m) => {
      fake = timed({ driftInterval: 4 });
      const first = m.cold('s|', { s: stateOf(one) });
      const slow = m.cold<AgentState>('    -----');
      fake.deps.plans.set(one);
      fake.state = () => (fake.states.length === 1 ? first : slow);
      const newer = m.hot('     ------n');
      m.expect(createDelivery(fake.deps)(targetOf(one), newer.pipe(nothing)).pipe(word)).toBeObservable(
        '                       n-----|',
      );
      m.expect(slow).toHaveSubscriptions('----^-!');
    }),
  );

  it(
    'is never asked when passes are turned off',
    marbles((m) => {
      fake.deps.plans.set(one);
      fake.state = () => of(stateOf(one));
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER).pipe(word), '^ 10s !').toBeObservable('n');
      m.flush();
      expect(fake.states).toHaveLength(1);
    }),
  );
});

describe('equal pods', () => {
  it('share the diff, the list of files and the parts, each with its own fence', () => {
    const deliver = createDelivery(fake.deps);
    const keys = Array.from({ length: 64 }, (_, i) => `p${i}`);
    fake.deps.plans.set(one);
    const proofs = new Map(keys.map((key, i) => [key, `a:${i}`]));
    fake.state = ({ key }) =>
      of(
        stateOf(one, {
          applied_plan_proof: proofs.get(key) ?? '',
          worker_ops_plan_proof: proofs.get(key) ?? '',
        }),
      );
    for (const key of keys)
      deliver(targetOf(two, podOf(key)), NEVER)
        .subscribe()
        .unsubscribe();
    expect(fake.applies).toHaveLength(64);
    const [first, ...rest] = fake.applies;
    expect(rest.every(({ parts }) => parts === first?.parts)).toBe(true);
    expect(rest.every(({ manifest }) => manifest.files === first?.manifest.files)).toBe(true);
    expect(rest.every(({ manifest }) => manifest.ops === first?.manifest.ops)).toBe(true);
    expect(fake.applies.map(({ manifest }) => manifest.expected_prev_plan_proof)).toEqual([
      ...proofs.values(),
    ]);
    expect(new Set(fake.applies.map(({ manifest }) => manifest.token.render_seq)).size).toBe(64);
  });

  it.each([
    [
      'another HAProxy',
      {
        haproxy: { version: '2.6', full_version: '2.6.12', worker_pid: 1, worker_start_time_unix_micros: 1 },
      },
    ],
    ['other operations', { agent_ops: ['server_add', 'server_enable'] }],
    ['other features', { features: ['worker_fence'] }],
    ['deletions under way', { pending_deletes: { servers: ['b/s9'], backends: [] } }],
    [
      'another inventory',
      {
        runtime_inventory: {
          generation: 1,
          maps: ['m'],
          certs: [],
          ca_files: [],
          crl_files: [],
          crt_lists: [],
        },
      },
    ],
    ['other files', { files: {} }],
  ])('are told apart by %s', (_, extra) => {
    const deliver = createDelivery(fake.deps);
    fake.deps.plans.set(one);
    fake.state = ({ key }) => of(stateOf(one, key === 'q' ? (extra as Partial<AgentState>) : {}));
    for (const key of ['p', 'q'])
      deliver(targetOf(two, podOf(key)), NEVER)
        .subscribe()
        .unsubscribe();
    const [p, q] = fake.applies;
    expect(p?.manifest.files).not.toBe(q?.manifest.files);
  });
});

describe('unsubscribing', () => {
  it(
    'cancels the request',
    marbles((m) => {
      const slow = m.cold<ApplyAnswer>('------');
      fake.apply = () => slow;
      const report$: Observable<DeliveryReport> = createDelivery(fake.deps)(targetOf(one), NEVER);
      m.expect(report$, '^--!').toBeObservable('----');
      m.expect(slow).toHaveSubscriptions('^--!');
    }),
  );
});
