import { marbles } from 'rxjs-marbles';
import { firstValueFrom, map, of, throwError } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/lib/coded-error.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';
import { type FakePods, fakePods, planWith, stateOf } from '../../fixtures/fake-pod.ts';

const one = planWith('s1');
const pod = podOf('ns/p');
let fake: FakePods;
beforeEach(() => (fake = fakePods()));

const read = (extra: Partial<AgentState>, of_ = pod): void => {
  fake.state = () => of(stateOf(one, extra));
  fake.deps.readPod(of_, { verify: false }).subscribe();
};
const divergence = (at: string, ...maps: string[]): Partial<AgentState> => ({
  last_divergence: { at, maps, servers: [] },
});

describe('reading a pod', () => {
  it(
    'begins when it is subscribed, each time anew, and ends with its subscriber',
    marbles((m) => {
      const answer = m.cold(' --s|', { s: stateOf(one) });
      const subs = '          ^--!';
      const state$ = fake.deps.readPod(pod, { verify: true });
      fake.state = () => answer;
      m.expect(state$.pipe(map(({ applied_plan_id: id }) => id))).toBeObservable('--k|', { k: one.id });
      m.expect(state$, '^!').toBeObservable('--');
      m.expect(answer).toHaveSubscriptions([subs, '^!']);
      m.flush();
      expect(fake.states).toEqual([{ verify: true }, { verify: true }]);
    }),
  );

  it('keeps what it heard as known of that pod, and its plans in the cache', () => {
    for (let i = 0; i < 20; i++) fake.deps.plans.set(planWith(`other${i}`));
    fake.deps.plans.set(one);
    read({});
    for (let i = 0; i < 20; i++) fake.deps.plans.set(planWith(`other${i}`));
    expect(fake.deps.book.get(pod)).toMatchObject({ applied_plan_id: one.id, isFresh: true });
    expect(fake.deps.plans.get(one.id)).toBe(one);
    expect(fake.deps.book.get(podOf('ns/p', { uid: 'other' }))).toBeUndefined();
  });

  it(
    'passes on that the pod does not answer',
    marbles((m) => {
      const error = new CodedError('HAPTIC_ERR_AGENT_UNREACHABLE', 'refused');
      const lost = m.cold<AgentState>('-#', {}, error);
      fake.state = () => lost;
      m.expect(fake.deps.readPod(pod, { verify: false })).toBeObservable('-#', {}, error);
      m.expect(lost).toHaveSubscriptions('^!');
    }),
  );

  it('tells once of each divergence that the pod found since it was first asked', () => {
    read({});
    read(divergence('1', 'maps/a'));
    read(divergence('1', 'maps/a'));
    read(divergence('2', 'maps/b'));
    expect(fake.divergences).toEqual(['ns/p maps/a', 'ns/p maps/b']);
  });

  it('does not tell of what was before it was first asked, nor of another pod in its place', () => {
    read(divergence('1', 'maps/a'));
    read(divergence('1', 'maps/a'));
    read(divergence('9', 'maps/a'), podOf('ns/p', { containerId: 'new' }));
    expect(fake.divergences).toEqual([]);
  });

  const stored = { applied_plan_stored: true, applied_plan: 'blob' };

  it('fetches the plan that many pods are on from one of them, and decodes it once', async () => {
    let decoded = 0;
    fake = fakePods({ decodePlan: async () => (decoded++, Promise.resolve(one)) });
    fake.state = () => of(stateOf(one, stored));
    const pods = Array.from({ length: 64 }, (_, i) => podOf(`p${i}`));
    const known = await Promise.all(
      pods.map((each) => firstValueFrom(fake.deps.readPod(each, { verify: true }))),
    );
    expect(known.map(({ applied_plan_id }) => applied_plan_id)).toEqual(pods.map(() => one.id));
    expect(fake.states.filter(({ plan }) => plan === true)).toHaveLength(1);
    expect(decoded).toBe(1);
    expect(pods.every((each) => fake.deps.book.get(each) !== undefined)).toBe(true);
  });

  it('asks another pod when the copy of the first is of no use, or cannot be fetched', async () => {
    const asked: string[] = [];
    fake = fakePods({
      decodePlan: async (blob) => Promise.resolve(blob.byteLength === 3 ? one : undefined),
    });
    fake.state = ({ key }) => {
      const isFetch = fake.states.at(-1)?.plan === true;
      if (isFetch) asked.push(key);
      if (isFetch && key === 'lost') return throwError(() => new Error('gone'));
      return of(stateOf(one, { ...stored, ...(key === 'bad' ? { applied_plan: 'QQ==' } : {}) }));
    };
    const keys = ['lost', 'bad', 'good'];
    const read$ = keys.map((key) => firstValueFrom(fake.deps.readPod(podOf(key), { verify: false })));
    expect((await Promise.allSettled(read$)).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(new Set(asked)).toEqual(new Set(keys));
    expect(fake.deps.plans.get(one.id)).toBe(one);
  });
});
