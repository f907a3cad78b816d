import { marbles } from 'rxjs-marbles';
import { type Observable, defer, delay, map, of, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RetainedStock } from '../../../../src/kube/retained-objects.ts';
import type { DeliveryReport } from '../../../../src/protocol/delivery-report.ts';
import type { RetainedConfig } from '../../../../src/protocol/retained-config.ts';
import {
  type CheckpointEffects,
  type CheckpointInputs,
  type CheckpointReport,
  keepCheckpoints,
} from '../../../../src/sinks/retained/keep-checkpoints.ts';
import { bundleOf } from '../../../fixtures/bundle-of.ts';
import { ackOf, failureOf, podOf } from '../../../fixtures/delivery-reports.ts';

const timing = { settle: 5_000, interval: () => 30_000, resync: 300_000, retry: { min: 1_000, max: 4_000 } };
const configOf = (planID: string): RetainedConfig => ({
  name: `web-retained-${planID}`,
  uid: `uid-${planID}`,
  planID,
  checksum: `sum-${planID}`,
});

/** A cluster that has retained renders of these plans, the newest first; those of `stray` nobody relies on. */
function cluster(promoted = '', { stray = '', pods = '', fails = 0, isPublished = true, missing = '' } = {}) {
  const asked: string[] = [];
  let configs = promoted.split(' ').filter(Boolean).map(configOf);
  let found = [...configs, ...stray.split(' ').filter(Boolean).map(configOf)];
  let failures = fails;
  const stock = (): RetainedStock => ({
    isPublished,
    promoted: configs,
    found: found.map((config) => ({ ...config, parts: missing === '' ? 1 : 2 })),
    parts: found.map(({ name }) => `${name}-0`),
    podPlans: pods.split(' ').filter(Boolean),
  });
  const effects: CheckpointEffects = {
    stock: () =>
      defer(() => {
        asked.push('look');
        return failures-- > 0 ? throwError(() => new Error('no')) : of(stock()).pipe(delay(1));
      }),
    write: ({ id }, receipts) =>
      defer(() => {
        asked.push(`write ${id} for ${receipts.map(({ pod }) => pod.key).join()}`);
        if (id === 'x') return of(undefined);
        found = [...found, configOf(id)];
        return of({ config: configOf(id), parts: id === 'b' ? 2 : 1 }).pipe(delay(1));
      }),
    remove: (surplus) =>
      defer(() => {
        asked.push(`remove ${surplus.configs.map(({ planID }) => planID).join('')}`);
        const gone = new Set(surplus.configs.map(({ uid }) => uid));
        found = found.filter(({ uid }) => !gone.has(uid));
        return of(undefined).pipe(delay(1));
      }),
  };
  /** The status follows what is kept. */
  const words = (report$: Observable<CheckpointReport>) =>
    report$.pipe(
      map((report) => {
        switch (report.kind) {
          case 'kept':
            configs = [...report.configs];
            return `kept ${configs.map(({ planID }) => planID).join('')}`;
          case 'written':
            return `written ${report.config.planID}`;
          case 'removed':
            return `removed ${report.names.length}`;
          case 'too_large':
            return `too large ${report.planId}`;
          case 'failed':
            return `failed ${report.message}`;
        }
      }),
    );
  return { asked, effects, words };
}

const out = (id: string) => ({ released: bundleOf(id), accepted: bundleOf(id) });
const latches = {
  n: {},
  a: out('a'),
  b: out('b'),
  c: out('c'),
  x: out('x'),
  /** Out, and not accepted yet. */
  d: { released: bundleOf('d'), accepted: bundleOf('a') },
};
const deliveries: Readonly<Record<string, DeliveryReport>> = {
  a: ackOf('ns/p', 'a'),
  b: ackOf('ns/p', 'b'),
  c: ackOf('ns/p', 'c'),
  d: ackOf('ns/p', 'd'),
  x: ackOf('ns/p', 'x'),
  f: failureOf('ns/p', 'a'),
  s: ackOf('ns/p', 'a', { converged: false, mode: 'scheduled' }),
};
const fleet = { pods: [podOf('ns/p')], rejected: [] };
const bools = { t: true, f: false };
type RunContext = Parameters<Parameters<typeof marbles>[0]>[0];
/** Of a leader whose only pod has taken `a`, but for what is said. What comes in one frame comes in this order. */
const ofLeader = (
  m: RunContext,
  {
    leader = '  t',
    enabled = '',
    latch = '   a',
    delivery = 'a',
    ...said
  }: Readonly<Partial<Record<'leader' | 'enabled' | 'latch' | 'delivery', string>>> &
    Partial<CheckpointInputs> = {},
): CheckpointInputs => ({
  leader$: m.hot(leader, bools),
  enabled$: enabled === '' ? of(true) : m.hot(enabled, bools),
  latch$: m.hot(latch, latches),
  delivery$: m.hot(delivery, deliveries),
  fleet$: of(fleet),
  ...said,
});
const values = {
  k: 'kept a',
  n: 'kept ',
  w: 'written a',
  v: 'written b',
  l: 'kept ba',
  m: 'kept cb',
  u: 'written c',
  r: 'removed 2',
  f: 'failed no',
  t: 'too large x',
};

describe('renders that are kept for worse times', () => {
  it(
    'are those that are out, accepted and run, the newest, one in an interval; nothing is written at rest',
    marbles((m) => {
      const { effects, asked, words } = cluster();
      const leader$ = m.hot('  t', bools);
      const latch$ = m.hot('   a 9999ms b 999ms c', latches);
      const delivery$ = m.hot('a 9999ms b 999ms c', deliveries);
      const report$ = keepCheckpoints(
        { leader$, enabled$: of(true), latch$, delivery$, fleet$: of(fleet) },
        effects,
        timing,
      );
      const unsub = '          ^ 200s !';
      m.expect(words(report$), unsub).toBeObservable('5002ms (wk) 29998ms (uj)', { ...values, j: 'kept ca' });
      m.expect(leader$).toHaveSubscriptions(unsub);
      m.expect(latch$).toHaveSubscriptions(unsub);
      m.expect(delivery$).toHaveSubscriptions(unsub);
      m.flush();
      expect(asked).toEqual(['look', 'write a for ns/p', 'look', 'write c for ns/p']);
    }),
  );

  it(
    'are written less often where they are large',
    marbles((m) => {
      const { effects, asked, words } = cluster();
      const report$ = keepCheckpoints(
        ofLeader(m, { latch: '   b 9999ms c', delivery: 'b 9999ms c' }),
        effects,
        timing,
      );
      m.expect(words(report$), '^ 100s !').toBeObservable('5002ms (vb) 59998ms (um)', {
        ...values,
        b: 'kept b',
        m: 'kept cb',
      });
      m.flush();
      expect(asked).toEqual(['look', 'write b for ns/p', 'look', 'write c for ns/p']);
    }),
  );

  it.each([
    ['has not been accepted', 'd', 'd'],
    ['no pod has taken', 'a', 'f'],
    ['waits for a reload', 'a', 's'],
  ])('are not one that %s', (_what, latch, delivery) => {
    marbles((m) => {
      const { effects, asked, words } = cluster();
      const report$ = keepCheckpoints(
        ofLeader(m, {
          leader: 't',
          latch,
          delivery,
        }),
        effects,
        timing,
      );
      m.expect(words(report$), '^ 100s !').toBeObservable('5001ms n', values);
      m.flush();
      expect(asked).toEqual(['look']);
    })();
  });

  it(
    'are not written again by the next leader, and what nobody relies on goes',
    marbles((m) => {
      const { effects, asked, words } = cluster('a b', { stray: 'z' });
      const report$ = keepCheckpoints(ofLeader(m), effects, timing);
      m.expect(words(report$), '^ 100s !').toBeObservable('5001ms kr', { k: 'kept ab', r: 'removed 2' });
      m.flush();
      expect(asked).toEqual(['look', 'remove z']);
    }),
  );

  it(
    'are the newest, its predecessor and those that pods are on; one that comes again is the newest',
    marbles((m) => {
      const { effects, asked, words } = cluster('b c d e a', { pods: 'e' });
      const report$ = keepCheckpoints(
        ofLeader(m, { fleet$: of({ ...fleet, pods: [podOf('ns/p'), podOf('ns/silent')] }) }),
        effects,
        timing,
      );
      m.expect(words(report$), '^ 100s !').toBeObservable('5001ms kr', { k: 'kept abe', r: 'removed 4' });
      m.flush();
      expect(asked).toEqual(['look', 'remove cd']);
    }),
  );

  it(
    'are tried again with growing pauses, and all of it ends with the term',
    marbles((m) => {
      const { effects, asked, words } = cluster('', { fails: 9 });
      const leader$ = m.hot('t 9s f', bools);
      const report$ = keepCheckpoints(ofLeader(m, { leader$ }), effects, timing);
      m.expect(words(report$), '^ 100s !').toBeObservable('5000ms f 999ms f 1999ms f', values);
      m.flush();
      expect(asked).toEqual(['look', 'look', 'look']);
    }),
  );

  it(
    'are not written without the object that names them, which is waited for',
    marbles((m) => {
      const { effects, asked, words } = cluster('', { isPublished: false });
      const report$ = keepCheckpoints(ofLeader(m), effects, timing);
      m.expect(words(report$), '^ 13s !').toBeObservable('-', values);
      m.flush();
      // After 5, 6, 8 and 12 s.
      expect(asked).toEqual(['look', 'look', 'look', 'look']);
    }),
  );

  it(
    'are written anew where a part of one is gone',
    marbles((m) => {
      const { effects, asked, words } = cluster('a', { missing: 'web-retained-a-1' });
      const report$ = keepCheckpoints(ofLeader(m), effects, timing);
      m.expect(words(report$), '^ 9s !').toBeObservable('5002ms (wk)', values);
      m.flush();
      expect(asked).toEqual(['look', 'write a for ns/p']);
    }),
  );

  it(
    'are looked after now and then',
    marbles((m) => {
      const { effects, asked, words } = cluster('a');
      const report$ = keepCheckpoints(ofLeader(m), effects, timing);
      m.expect(words(report$), '^ 310s !').toBeObservable('5001ms k 299999ms k', values);
      m.flush();
      expect(asked).toEqual(['look', 'look']);
    }),
  );

  it(
    'are told to be too large, and go where renders are not to be shown',
    marbles((m) => {
      const { effects, asked, words } = cluster('a');
      const report$ = keepCheckpoints(
        ofLeader(m, {
          enabled: ' t 39s f',
          latch: '   x',
          delivery: 'x',
        }),
        effects,
        timing,
      );
      m.expect(words(report$), '^ 100s !').toBeObservable('5001ms (tk) 38997ms nr', values);
      m.flush();
      expect(asked).toEqual(['look', 'write x for ns/p', 'look', 'remove a']);
    }),
  );
});
