import { marbles } from 'rxjs-marbles';
import { type Observable, NEVER, delay, map, of, throwError, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import type { Fleet } from '../../../src/protocol/fleet.ts';
import type { KeptOutputs } from '../../../src/protocol/kept-outputs.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import { recallOutputs } from '../../../src/sinks/recall-outputs.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';
import { planWith, stateOf } from '../../fixtures/fake-pod.ts';

const state = (extra: Partial<AgentState>) => stateOf(planWith('s1'), extra);
const rejected = (...keys: readonly string[]) =>
  keys.map((key) => ({ key, reason: 'agent_not_answering' as const, message: 'x' }));
const fleets: Readonly<Record<'n' | 'p' | 'b' | 'r' | 's', Fleet>> = {
  n: { pods: [], rejected: [] },
  p: { pods: [podOf('p')], rejected: [] },
  b: { pods: [podOf('p'), podOf('q')], rejected: [] },
  /** p answers, q fails to. */
  r: { pods: [podOf('p')], rejected: rejected('q') },
  s: { pods: [], rejected: rejected('p', 'q') },
};
const kept = (configuration: string): KeptOutputs => ({ configuration, outputs: emptyOrderedMap() });
const outcomes = { k: 'blob', f: 'former', u: undefined };
const encoded = (text: string) => Buffer.from(text).toString('base64');

const eight = Array.from({ length: 8 }, (_, index) => `pod-${index}`);

interface Pods {
  readonly answers?: Readonly<Record<string, () => Observable<AgentState>>>;
  readonly seq?: Readonly<Record<string, number>>;
}

/** Asks at the first frame; what a blob says is its configuration. Decoding is synchronous here: promises have no frames. */
const recall = (found$: Observable<Fleet>, members$: Observable<Fleet>, pods: Pods) => {
  const asked: string[] = [];
  const outputs$ = recallOutputs({
    found$,
    members$,
    client: {
      state: (pod, options) => {
        asked.push(`${pod.key} ${String(options?.plan)}`);
        return pods.answers?.[pod.key]?.() ?? of(state({}));
      },
    },
    tokenOf: ({ key }) => {
      const seq = pods.seq?.[key];
      return seq === undefined ? undefined : { leader_epoch: 1, render_seq: seq };
    },
    decodeOutputs: (blob) => syncPromise(Buffer.from(blob).toString()),
    timing: { total: 20, pod: 5 },
  })();
  return { asked, outputs$: outputs$.pipe(map((one) => one?.configuration)) };
};

/** A thenable that calls back at once: what is awaited elsewhere ends within the same frame here. */
function syncPromise(text: string): Promise<KeptOutputs | undefined> {
  const value = text === 'useless' ? undefined : kept(text);
  const thenable = { then: (resolve: (value: KeptOutputs | undefined) => void) => resolve(value) };
  return thenable as unknown as Promise<KeptOutputs | undefined>;
}

describe('recallOutputs', () => {
  it(
    'asks a pod once it is known to answer, and ends with its outputs',
    marbles((m) => {
      const found$ = m.hot('  p---------', fleets);
      const members$ = m.hot('n-p-------', fleets);
      const answer = m.cold('   --s|', { s: state({ applied_plan: encoded('blob') }) });
      const { outputs$, asked } = recall(found$, members$, { answers: { p: () => answer } });
      m.expect(outputs$).toBeObservable('----(k|)', outcomes);
      m.expect(answer).toHaveSubscriptions('--^-!');
      m.expect(found$).toHaveSubscriptions('^-!');
      m.expect(members$).toHaveSubscriptions(['^-!', '^-!']);
      m.flush();
      expect(asked).toEqual(['p true']);
    }),
  );

  it(
    'takes a blob of a former plan where that of the applied one is not there yet',
    marbles((m) => {
      const members$ = m.hot('p---------', fleets);
      const answers = { p: () => of(state({ former_plan: encoded('former') })) };
      m.expect(recall(members$, members$, { answers }).outputs$).toBeObservable('(f|)', outcomes);
    }),
  );

  it(
    'asks the pod first that was written to last, and the next if that has nothing of use',
    marbles((m) => {
      const members$ = m.hot('b---------', fleets);
      const answers = {
        p: () => of(state({ applied_plan: encoded('blob') })),
        q: () => of(state({ applied_plan: encoded('useless') })).pipe(delay(2)),
      };
      const { outputs$, asked } = recall(members$, members$, { answers, seq: { q: 2, p: 1 } });
      m.expect(outputs$).toBeObservable('--(k|)', outcomes);
      m.flush();
      expect(asked).toEqual(['q true', 'p true']);
    }),
  );

  it(
    'passes over pods that fail or are slow',
    marbles((m) => {
      const members$ = m.hot('b---------', fleets);
      const fail = throwError(() => new Error('refused'));
      const failing = { p: () => fail, q: () => of(state({ applied_plan: encoded('blob') })) };
      const slow = { ...failing, p: () => NEVER };
      const seq = { p: 2 };
      m.expect(recall(members$, members$, { answers: failing, seq }).outputs$).toBeObservable(
        '(k|)',
        outcomes,
      );
      m.expect(recall(members$, members$, { answers: slow, seq }).outputs$).toBeObservable(
        '-----(k|)',
        outcomes,
      );
    }),
  );

  it(
    'does not wait for a pod that fails to answer while another answers',
    marbles((m) => {
      const found$ = m.hot('  b---------', fleets);
      const members$ = m.hot('n--r------', fleets);
      const answers = { p: () => of(state({ applied_plan: encoded('blob') })) };
      m.expect(recall(found$, members$, { answers }).outputs$).toBeObservable('---(k|)', outcomes);
    }),
  );

  it(
    'knows nothing of a fleet that has no pods, at once',
    marbles((m) => {
      const members$ = m.hot('n---------', fleets);
      const { outputs$, asked } = recall(members$, members$, {});
      m.expect(outputs$).toBeObservable('(u|)', outcomes);
      m.flush();
      expect(asked).toEqual([]);
    }),
  );

  it(
    'waits for the first pod that answers where none does, but not for long',
    marbles((m) => {
      const found$ = m.hot('  b-------------', fleets);
      const late$ = m.hot('   s-----r-------', fleets);
      const never$ = m.hot('  s-------------', fleets);
      const answers = { p: () => of(state({ applied_plan: encoded('blob') })) };
      m.expect(recall(found$, late$, { answers }).outputs$).toBeObservable('------(k|)', outcomes);
      m.expect(recall(found$, never$, { answers }).outputs$).toBeObservable('----------(u|)', outcomes);
      m.expect(recall(found$, NEVER, { answers }).outputs$).toBeObservable('----------(u|)', outcomes);
    }),
  );

  it(
    'is over in time, however many pods are slow',
    marbles((m) => {
      const slow = Object.fromEntries(eight.map((key) => [key, () => timer(4).pipe(map(() => state({})))]));
      const all = { pods: eight.map((key) => podOf(key)), rejected: [] };
      const members$ = m.hot('a-------------------------', { a: all });
      const { outputs$, asked } = recall(members$, members$, { answers: slow });
      m.expect(outputs$).toBeObservable('20ms (u|)', outcomes);
      m.flush();
      expect(asked).toHaveLength(5);
    }),
  );

  it(
    'ends what it asked when nobody waits any more',
    marbles((m) => {
      const members$ = m.hot('p---------', fleets);
      const answer = m.cold<AgentState>('----s|');
      const { outputs$ } = recall(members$, members$, { answers: { p: () => answer } });
      m.expect(outputs$, '^--!').toBeObservable('----');
      m.expect(answer).toHaveSubscriptions('^--!');
    }),
  );
});
