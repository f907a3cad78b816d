import { marbles } from 'rxjs-marbles';
import {
  type Observable,
  BehaviorSubject,
  NEVER,
  defer,
  delay,
  filter,
  map,
  of,
  tap,
  throwError,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { ApplyAnswer } from '../../../../src/fleet/agent-client.ts';
import type { DeploymentIntent } from '../../../../src/protocol/deployment-intent.ts';
import type { Fleet } from '../../../../src/protocol/fleet.ts';
import type { AgentState } from '../../../../src/protocol/wire.ts';
import type { OwnRender } from '../../../../src/sinks/retained/own-render.ts';
import { type RecoveryEffects, recoverRetained } from '../../../../src/sinks/retained/recover-retained.ts';
import type { RecoveryState } from '../../../../src/sinks/retained/recovery-state.ts';
import { podOf } from '../../../fixtures/delivery-reports.ts';
import { planWith, rolesFor, stateOf, structural } from '../../../fixtures/fake-pod.ts';

const timing = { patience: 5_000, retry: 5_000 };
const plan = planWith('one');
const checksum = 'sha256:1';
const intent: DeploymentIntent = { planId: plan.id, checksum };
const config = { name: 'web-retained-1', uid: 'u', planID: plan.id, checksum };
const fresh = stateOf(undefined);
const fleetOf = (...keys: string[]): Fleet => ({
  pods: keys.map((key) => podOf(key)),
  rejected: [],
});
const owns: Readonly<Record<string, OwnRender>> = {
  e: { isThere: false, error: 'bad' },
  f: { isThere: false, error: 'worse' },
  w: { isThere: false },
  o: { isThere: true },
};
const bools = { t: true, f: false };

interface Script extends Partial<RecoveryEffects> {
  readonly states: Record<string, AgentState>;
}

/** Pods that take what they are given within 10 ms. */
function scene({ states, ...script }: Script) {
  const asked: string[] = [];
  const effects: RecoveryEffects = {
    intent: () => of(intent),
    retained: () => of([config]),
    read: () =>
      defer(() => {
        asked.push('read');
        return of({ plan });
      }),
    state: ({ key }) =>
      defer(() => {
        asked.push(`ask ${key}`);
        const state = states[key];
        return state === undefined ? throwError(() => new Error('gone')) : of(state);
      }),
    check: ({ id }) =>
      defer(() => {
        asked.push('check');
        return of({ kind: 'accepted' as const, planId: id }).pipe(delay(100));
      }),
    apply: ({ key }) =>
      defer(() => {
        asked.push(`apply ${key}`);
        return of(undefined).pipe(
          delay(10),
          map((): ApplyAnswer => {
            states[key] = stateOf(plan, { applied_token: { leader_epoch: 1, render_seq: 1 } });
            const { applied_plan_id: id } = rolesFor(plan.id);
            return { kind: 'result', result: { ok: true, plan_id: id } as never };
          }),
        );
      }),
    ...script,
  };
  return { asked, effects };
}

const words = (state$: Observable<RecoveryState>) =>
  state$.pipe(
    map((state) => {
      switch (state.kind) {
        case 'off':
          return 'off';
        case 'pending':
          return `pending ${state.error}`;
        case 'active':
          return `active ${state.pods} given ${state.given.join(' ')}`.trim();
        case 'unavailable':
          return `${state.reason} ${state.error}`;
      }
    }),
  );
const values = {
  o: 'off',
  p: 'pending bad',
  q: 'pending worse',
  a: 'active 2 given ns/new',
  b: 'active 1 given',
  c: 'active 1 given ns/new',
  d: 'PodDiffers bad',
  u: 'PodUnreachable bad',
  n: 'NoIntent bad',
  x: 'ClusterUnreadable bad',
  h: 'RefusedByHAProxy bad',
  y: 'ApplyFailed bad',
};

describe('a leader without a render of its own', () => {
  it(
    'gives what is retained to a new pod alone, after some patience and a check, and asks the fleet again',
    marbles((m) => {
      const states = { 'ns/old': stateOf(plan), 'ns/new': fresh };
      const { asked, effects } = scene({ states });
      const leader$ = m.hot('t', bools);
      const own$ = m.hot('   we', owns);
      const fleet$ = of(fleetOf('ns/old', 'ns/new'));
      const state$ = recoverRetained({ leader$, own$, fleet$ }, effects, timing);
      const unsub = '        ^ 11s !';
      m.expect(words(state$), unsub).toBeObservable('op 5109ms a', values);
      m.expect(leader$).toHaveSubscriptions(unsub);
      m.expect(own$).toHaveSubscriptions(unsub);
      m.flush();
      expect(asked).toEqual([
        ...['read', 'ask ns/old', 'ask ns/new', 'check', 'ask ns/new', 'apply ns/new'],
        ...['ask ns/old', 'ask ns/new'],
      ]);
    }),
  );

  it(
    'tells where HAProxy refuses what is retained, not in what words: they may repeat values of Secrets, of which nobody knows any more what they are',
    marbles((m) => {
      const { effects } = scene({
        states: { 'ns/new': fresh },
        check: ({ id: planId }) => {
          const finding = {
            severity: 'alert',
            message: "unknown 'hunter2'",
            file: 'haproxy.cfg',
            line: 12,
          } as const;
          return of({ kind: 'refused' as const, planId, findings: [finding] });
        },
      });
      const state$ = recoverRetained(
        { leader$: m.hot('t', bools), own$: m.hot('e', owns), fleet$: of(fleetOf('ns/new')) },
        effects,
        timing,
      ).pipe(
        filter((state) => state.kind === 'unavailable'),
        map(({ reason, message }) => `${reason}: ${message}`),
      );
      const refused = 'RefusedByHAProxy: HAProxy refuses it (haproxy.cfg, line 12)';
      m.expect(state$, '^ 6s !').toBeObservable('5s r', { r: refused });
    }),
  );

  it(
    'forgets pods that are gone: what is told does not grow with every pod that ever came',
    marbles((m) => {
      const states = { 'ns/old': stateOf(plan), 'ns/new': fresh };
      const { effects } = scene({ states });
      const fleets = { b: fleetOf('ns/new', 'ns/old'), o: fleetOf('ns/old') };
      const fleet$ = new BehaviorSubject<Fleet>(fleets.b);
      const gone$ = m.cold('7s o', fleets).pipe(tap((fleet) => fleet$.next(fleet)));
      const state$ = recoverRetained(
        { leader$: m.hot('t', bools), own$: m.hot('e', owns), fleet$ },
        effects,
        timing,
      );
      const unsub = '^ 11s !';
      m.expect(words(state$), unsub).toBeObservable('p 5109ms a 4999ms b', values);
      m.expect(gone$, unsub).toBeObservable('7s o', fleets);
    }),
  );

  it(
    'does nothing before it is known that it cannot have one, nor as a standby',
    marbles((m) => {
      const { asked, effects } = scene({ states: { 'ns/new': fresh } });
      const leader$ = m.hot('f 20s t 4s f', bools);
      const own$ = m.hot('   w 9s  e', owns);
      const fleet$ = of(fleetOf('ns/new'));
      const state$ = recoverRetained({ leader$, own$, fleet$ }, effects, timing);
      m.expect(words(state$), '^ 30s !').toBeObservable('o 20s p 4s o', values);
      m.flush();
      expect(asked).toEqual([]);
    }),
  );

  it.each([
    ['its term ends', 't 5050ms f', 'e'],
    ['a render of its own is accepted', 't', 'e 5050ms o'],
  ])('writes nothing more when %s between check and apply', (_what, leader, own) => {
    marbles((m) => {
      const { asked, effects } = scene({ states: { 'ns/new': fresh } });
      const leader$ = m.hot(leader, bools);
      const own$ = m.hot(own, owns);
      const state$ = recoverRetained({ leader$, own$, fleet$: of(fleetOf('ns/new')) }, effects, timing);
      m.expect(words(state$), '^ 30s !').toBeObservable('p 5050ms o', values);
      m.flush();
      expect(asked).toEqual(['read', 'ask ns/new', 'check']);
    })();
  });

  it(
    'gives nothing beside a pod that runs something else, and looks again until that is over',
    marbles((m) => {
      const states: Record<string, AgentState> = { 'ns/old': stateOf(structural), 'ns/new': fresh };
      const { asked, effects } = scene({ states });
      const fleet = m.hot(' a 11s b', { a: fleetOf('ns/old', 'ns/new'), b: fleetOf('ns/new') });
      let newest: Fleet | undefined;
      const fleet$ = defer(() => (newest === undefined ? NEVER : of(newest)));
      const seen$ = fleet.pipe(map((value) => void (newest = value)));
      const leader$ = m.hot('t', bools);
      const own$ = m.hot('   e', owns);
      const state$ = recoverRetained({ leader$, own$, fleet$ }, effects, timing);
      m.expect(seen$, '      ^ 21s !').toBeObservable('a 11s b', { a: undefined, b: undefined });
      m.expect(words(state$), '^ 21s !').toBeObservable('p 4999ms d 10109ms c', values);
      m.flush();
      expect(asked.filter((one) => one.startsWith('apply'))).toEqual(['apply ns/new']);
    }),
  );

  it(
    'gives nothing to a pod that has got something meanwhile, and nothing that HAProxy refuses',
    marbles((m) => {
      let looks = 0;
      const { asked, effects } = scene({
        states: {},
        state: () => defer(() => of(++looks === 1 ? fresh : stateOf(structural))),
        check: ({ id }) => of({ kind: 'accepted' as const, planId: id }),
      });
      const refused = scene({
        states: { 'ns/new': fresh },
        check: ({ id }) => of({ kind: 'refused' as const, planId: id, findings: [] }),
      });
      const leader$ = m.hot('t', bools);
      const own$ = m.hot('   e', owns);
      const fleet$ = of(fleetOf('ns/new'));
      const state$ = recoverRetained({ leader$, own$, fleet$ }, effects, timing);
      m.expect(words(state$), '^ 9s !').toBeObservable('p 4999ms y', values);
      const other$ = recoverRetained({ leader$, own$, fleet$ }, refused.effects, timing);
      m.expect(words(other$), '^ 9s !').toBeObservable('p 4999ms h', values);
      m.flush();
      expect([...asked, ...refused.asked].filter((one) => one.startsWith('apply'))).toEqual([]);
    }),
  );

  it(
    'tells why nothing can be given: no intent, an API that does not answer, a pod that does not',
    marbles((m) => {
      const leader$ = m.hot('t', bools);
      const own$ = m.hot('   e', owns);
      const fleet$ = of(fleetOf('ns/new'));
      const ends = (script: Script) =>
        words(recoverRetained({ leader$, own$, fleet$ }, scene(script).effects, timing));
      const states = { 'ns/new': fresh };
      const unsub = '^ 9s !';
      m.expect(ends({ states, intent: () => of(undefined) }), unsub).toBeObservable('p 4999ms n', values);
      m.expect(ends({ states, retained: () => throwError(() => new Error('403')) }), unsub).toBeObservable(
        'p 4999ms x',
        values,
      );
      m.expect(ends({ states: {} }), unsub).toBeObservable('p 4999ms u', values);
    }),
  );

  it(
    'is told to serve what is retained where no pod is new, and tells the newest error',
    marbles((m) => {
      const { asked, effects } = scene({ states: { 'ns/old': stateOf(plan) } });
      const leader$ = m.hot('t', bools);
      const own$ = m.hot('   e 5999ms f', owns);
      const fleet$ = of(fleetOf('ns/old'));
      const state$ = recoverRetained({ leader$, own$, fleet$ }, effects, timing).pipe(
        map((state) => ('error' in state ? `${state.kind} ${state.error}` : state.kind)),
      );
      m.expect(state$, '     ^ 11s !').toBeObservable('p 4999ms a 4999ms b', {
        p: 'pending bad',
        a: 'active bad',
        b: 'active worse',
      });
      m.flush();
      expect(asked).toEqual(['read', 'ask ns/old', 'ask ns/old']);
    }),
  );
});
