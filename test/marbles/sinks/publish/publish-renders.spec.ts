import { marbles } from 'rxjs-marbles';
import { type Observable, EMPTY, defer, map, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KnownPublished, PublishedObject } from '../../../../src/kube/published-object.ts';
import type { PublishResult, PublishTrouble } from '../../../../src/kube/published-objects.ts';
import type { DeliveryReport } from '../../../../src/protocol/delivery-report.ts';
import type { Fleet } from '../../../../src/protocol/fleet.ts';
import type { PublishEffects, PublishReport } from '../../../../src/sinks/publish/publish-effects.ts';
import { publishRenders } from '../../../../src/sinks/publish/publish-renders.ts';
import type { PublishState } from '../../../../src/sinks/publish/publish-state.ts';
import type { WantedFile } from '../../../../src/sinks/publish/wanted-files.ts';
import { bundleOf } from '../../../fixtures/bundle-of.ts';
import { ackOf, failureOf, podOf } from '../../../fixtures/delivery-reports.ts';

const names = { main: 'web-cfg', twin: 'web-cfg-invalid', file: (path: string) => path };
const timing = { retry: { min: 1_000, max: 4_000, refused: 60_000 }, resync: 300_000, deadline: 30_000 };
const interval = 10_000;

const fileOf = (pair: string): WantedFile => {
  const [name = '', digest = ''] = pair.split('=');
  const kind = name.startsWith('web-cfg') ? 'config' : name.startsWith('m') ? 'map' : 'secret';
  const path = `/${name}`;
  return { kind, name, path, fileName: name, digest, size: 1, content: () => [] };
};

/** `cfg=1 m=1`: a render whose haproxy.cfg and map have these digests. */
const stateOf = (pairs: string, more: Partial<PublishState> = {}): PublishState => {
  const files = pairs
    .split(' ')
    .filter((pair) => pair !== '')
    .map((pair) => fileOf(pair.replace(/^cfg/, 'web-cfg')));
  return {
    options: { enabled: true, compressionThreshold: 0, configFile: '/web-cfg', interval },
    pinned: false,
    ...(files.length > 0 && {
      accepted: { plan: bundleOf(pairs).plan, renderedAt: 'r', validatedAt: 'v' },
    }),
    filesOf: () => ({
      config: files.find(({ kind }) => kind === 'config'),
      others: files.filter(({ kind }) => kind !== 'config'),
    }),
    twinOf: () => fileOf('web-cfg-invalid=x'),
    ...more,
  };
};

const knownOf = (name: string, digest: string): KnownPublished => ({
  kind: fileOf(name).kind,
  name,
  uid: `uid-${name}`,
  resourceVersion: digest,
  generation: Number(digest) || 1,
  digest,
  checksum: `sum-${digest}`,
  oversized: false,
});
const ok = <T>(value: T): PublishResult<T> => ({ ok: true, value });
const no = (kind: PublishTrouble['kind'], reason = 'No'): PublishResult<never> => ({
  ok: false,
  trouble: { kind, reason, message: 'no' },
});

interface Script {
  readonly stock?: PublishEffects['stock'];
  readonly apply?: (object: PublishedObject) => Observable<PublishResult<KnownPublished>> | undefined;
  readonly status?: () => Observable<PublishResult<KnownPublished>> | undefined;
  readonly remove?: (name: string) => Observable<PublishResult<undefined>> | undefined;
}

/** Effects that succeed at once unless said otherwise, and a protocol of what was written. */
function effectsWith(script: Script = {}) {
  const asked: string[] = [];
  const statuses: object[] = [];
  const effects: PublishEffects = {
    stock: script.stock ?? (() => of(ok({ objects: [], statuses: new Map() }))),
    encode: ({ kind, name, path, fileName, digest }) =>
      of({ kind, name, path, fileName, digest, checksum: `sum-${digest}`, text: 'x', compressed: false }),
    apply: (object, { known, owner }) =>
      defer(() => {
        const { name, digest, oversized } = object;
        const words = [known === undefined ? ' new' : '', owner === undefined ? '' : ` of ${owner.uid}`];
        asked.push(`${name}=${digest}${words.join('')}${oversized === undefined ? '' : ' oversized'}`);
        const done = { ...knownOf(name, digest), oversized: oversized !== undefined };
        return script.apply?.(object) ?? of(ok(done));
      }),
    applyStatus: (known, status) =>
      defer(() => {
        asked.push(`status ${known.name}`);
        statuses.push(status);
        return script.status?.() ?? of(ok(known));
      }),
    remove: ({ name }) =>
      defer(() => {
        asked.push(`remove ${name}`);
        return script.remove?.(name) ?? of(ok(undefined));
      }),
  };
  return { effects, asked, statuses };
}

const words = map(({ kind, object, reason }: PublishReport) =>
  [kind, object.split(' ').at(-1), reason].filter((word) => word !== undefined).join(' '),
);
const run = (
  state$: Observable<PublishState>,
  effects: PublishEffects,
  {
    leader$ = of(true),
    delivery$ = EMPTY,
  }: { readonly leader$?: Observable<boolean>; readonly delivery$?: Observable<DeliveryReport> } = {},
) => publishRenders({ state$, delivery$, leader$ }, { effects, names, namespace: 'ns', timing }).pipe(words);

/** What a first publication of haproxy.cfg and a map reports. */
const values = {
  c: 'written web-cfg',
  m: 'written m',
  s: 'status web-cfg',
  p: 'published web-cfg',
  r: 'removed m',
  o: 'off web-cfg NotServed',
  y: 'ready web-cfg',
  f: 'failed m No',
  F: 'failed web-cfg No',
  g: 'given_up m',
  w: 'written web-cfg-invalid',
  t: 'status web-cfg-invalid',
  x: 'removed web-cfg-invalid',
};

describe('publishRenders', () => {
  it(
    'publishes at once, then the newest once per interval, and only what changed',
    marbles((m) => {
      const states = m.hot('a 1s b 1s c 20s d 1s e', {
        a: stateOf('cfg=1 m=1'),
        b: stateOf('cfg=2 m=1'),
        c: stateOf('cfg=3 m=1'),
        d: stateOf('cfg=3 m=1'),
        e: stateOf('cfg=3'),
      });
      const { effects, asked } = effectsWith();
      m.expect(run(states, effects), '^ 60s !').toBeObservable('(cmsp) 9994ms (csp) 21998ms (rsp)', values);
      m.expect(states).toHaveSubscriptions('^ 60s !');
      m.flush();
      expect(asked).toStrictEqual([
        'web-cfg=1 new',
        'm=1 new of uid-web-cfg',
        'status web-cfg',
        'web-cfg=3',
        'status web-cfg',
        'remove m',
        'status web-cfg',
      ]);
    }),
  );

  it(
    'writes nothing in a new term when all is as the former leader left it',
    marbles((m) => {
      const effectsOf = (statuses: ReadonlyMap<string, Readonly<Record<string, unknown>>>) =>
        effectsWith({
          stock: () => of(ok({ objects: [knownOf('web-cfg', '1'), knownOf('m', '1')], statuses })),
        });
      const first = effectsWith();
      const state = m.cold('a', { a: stateOf('cfg=1 m=1') });
      m.expect(run(state, first.effects), '^---!').toBeObservable('(cmsp)', values);
      m.flush();
      const { effects, asked } = effectsOf(new Map([['web-cfg', { ...first.statuses[0] }]]));
      m.expect(run(state, effects, { leader$: m.cold('a-b', { a: true, b: true }) }), '^---!').toBeObservable(
        '-',
      );
      m.flush();
      expect(asked).toStrictEqual([]);
    }),
  );

  it(
    'looks at what is there at the start of each term, and ends all requests with it',
    marbles((m) => {
      const leader = m.cold('    a---b---a', { a: true, b: false });
      const stock = m.cold('     --(s|)', { s: ok({ objects: [], statuses: new Map() }) });
      const apply = m.cold('       -----(a|)', { a: ok(knownOf('web-cfg', '1')) });
      const states = m.cold('    a', { a: stateOf('cfg=1') });
      const { effects } = effectsWith({ stock: () => stock, apply: () => apply });
      m.expect(run(states, effects, { leader$: leader }), '^ 17ms !').toBeObservable(
        '                        ---------------(csp)',
        values,
      );
      m.expect(leader).toHaveSubscriptions(' ^ 17ms !');
      m.expect(states).toHaveSubscriptions(['^---!', '--------^ 9ms !']);
      m.expect(stock).toHaveSubscriptions([' ^-!', '--------^-!']);
      m.expect(apply).toHaveSubscriptions([' --^-!', '----------^----!']);
    }),
  );

  it(
    'removes what is there and in no file, but nothing before a render was accepted',
    marbles((m) => {
      const { effects, asked } = effectsWith({
        stock: () => of(ok({ objects: [knownOf('web-cfg', '1'), knownOf('m', '1')], statuses: new Map() })),
      });
      const states = m.hot('a---b', { a: stateOf(''), b: stateOf('cfg=1') });
      m.expect(run(states, effects), '^ 20s !').toBeObservable('10s (rsp)', values);
      m.flush();
      expect(asked).toStrictEqual(['remove m', 'status web-cfg']);
    }),
  );

  it(
    'tries what fails again with growing pauses, and lets all others go on',
    marbles((m) => {
      let attempts = 0;
      const { effects } = effectsWith({
        apply: ({ name }) => (name === 'm' && ++attempts < 3 ? of(no('failed')) : undefined),
      });
      const states = m.cold('a', { a: stateOf('cfg=1 m=1') });
      m.expect(run(states, effects), '^ 20s !').toBeObservable('(cfsp) 994ms f 1999ms (msp)', values);
    }),
  );

  it(
    'has a newer render wait for the interval, not for what fails of the former one',
    marbles((m) => {
      const { effects, asked } = effectsWith({
        apply: ({ name, digest }) => (name === 'm' && digest === '1' ? of(no('refused')) : undefined),
      });
      const states = m.hot('a--b', { a: stateOf('cfg=1 m=1'), b: stateOf('cfg=2') });
      m.expect(run(states, effects), '^ 20s !').toBeObservable(
        '(cFsp) 994ms F 1999ms F 3999ms F 2999ms (cGsp)',
        { ...values, F: 'refused m No', G: 'given_up m' },
      );
      m.flush();
      expect(asked.at(-1)).toBe('status web-cfg');
    }),
  );

  it(
    'says so while the kinds are not there, and looks for them again and again',
    marbles((m) => {
      let asks = 0;
      const { effects } = effectsWith({
        stock: () => of(++asks < 5 ? no('absent', 'NotServed') : ok({ objects: [], statuses: new Map() })),
      });
      const states = m.cold('a', { a: stateOf('cfg=1') });
      m.expect(run(states, effects), '^ 20s !').toBeObservable(
        'o 999ms o 1999ms o 3999ms o 3999ms (ycsp)',
        values,
      );
    }),
  );

  it(
    'ends a request without an answer, and looks anew at an object that is not what it was',
    marbles((m) => {
      const silent = m.cold('-');
      let applies = 0;
      let stocks = 0;
      const { effects } = effectsWith({
        stock: () =>
          of(ok({ objects: ++stocks === 1 ? [] : [knownOf('web-cfg', '0')], statuses: new Map() })),
        apply: () => (++applies === 1 ? silent : applies === 2 ? of(no('lost', 'Conflict')) : undefined),
      });
      const states = m.cold('a', { a: stateOf('cfg=1') });
      m.expect(run(states, effects), '^ 60s !').toBeObservable('30s d 999ms l 1999ms (csp)', {
        ...values,
        d: 'failed web-cfg DeadlineExceeded',
        l: 'failed web-cfg Conflict',
      });
      m.expect(silent).toHaveSubscriptions('^ 29999ms !');
      m.flush();
      expect(stocks).toBe(2);
    }),
  );

  it(
    'tells of pods that have something new, and of no pass over them',
    marbles((m) => {
      const fleet: Fleet = { pods: [podOf('ns/a')], rejected: [] };
      const states = m.cold('a', { a: stateOf('cfg=1', { fleet }) });
      const deliveries = m.hot('-a 20s b 20s c 20s d 20s e', {
        a: ackOf('ns/a', 'cfg=1'),
        b: ackOf('ns/a', 'cfg=1', { mode: 'noop', cause: 'drift' }),
        c: ackOf('ns/a', 'other'),
        d: failureOf('ns/a', 'other'),
        e: ackOf('ns/gone', 'other'),
      });
      const { effects, statuses } = effectsWith();
      m.expect(run(states, effects, { delivery$: deliveries }), '^ 100s !').toBeObservable(
        '(csp) 9995ms (sp) 29999ms (sp) 19997ms (sp)',
        values,
      );
      m.expect(deliveries).toHaveSubscriptions('^ 100s !');
      m.flush();
      const pods = statuses.map((status) => (status as { deployedToPods?: object[] }).deployedToPods ?? []);
      expect(pods).toMatchObject([
        [],
        [{ podName: 'a', appliedPlanID: 'cfg=1', checksum: 'sum-1', mode: 'runtime' }],
        [{ podName: 'a', appliedPlanID: 'other' }],
        [{ podName: 'a', consecutiveErrors: 1, lastError: 'unreachable: refused' }],
      ]);
      expect(pods[2]?.[0]).not.toHaveProperty('checksum');
    }),
  );

  it(
    'shows a refused render beside the accepted one until it is over',
    marbles((m) => {
      const refused = { plan: bundleOf('bad').plan, renderedAt: 'r', words: 'unknown keyword' };
      const states = m.hot('a 20s b 20s c', {
        a: stateOf('cfg=1'),
        b: stateOf('cfg=1', { refused, pinned: true }),
        c: stateOf('cfg=1', { refused: 'none' }),
      });
      const { effects, statuses } = effectsWith();
      m.expect(run(states, effects), '^ 60s !').toBeObservable('(csp) 19996ms (wtsp) 19995ms (xsp)', values);
      m.flush();
      expect(statuses[1]).toMatchObject({
        validationError: 'unknown keyword',
        conditions: [{ type: 'ConfigValidated', status: 'False', reason: 'RefusedByHAProxy' }],
      });
      expect(statuses[2]).toMatchObject({
        conditions: [
          { type: 'ConfigValidated', status: 'True' },
          { type: 'ConfigPinned', status: 'True' },
          { type: 'Published', status: 'True' },
        ],
      });
    }),
  );

  it(
    'shows in place of what is too large for the API that it is',
    marbles((m) => {
      const { effects, asked, statuses } = effectsWith({
        apply: ({ name, oversized }) =>
          name === 'm' && oversized === undefined ? of(no('too_large', 'ContentTooLarge')) : undefined,
      });
      const states = m.cold('a', { a: stateOf('cfg=1 m=1') });
      m.expect(run(states, effects), '^ 20s !').toBeObservable('(cltsp)', {
        ...values,
        l: 'too_large m',
        t: 'status m',
      });
      m.flush();
      expect(asked).toStrictEqual([
        'web-cfg=1 new',
        'm=1 new of uid-web-cfg',
        'm=1 new of uid-web-cfg oversized',
        'status m',
        'status web-cfg',
      ]);
      expect(statuses).toMatchObject([
        { conditions: [{ type: 'Published', status: 'False', reason: 'ContentTooLarge' }] },
        { conditions: [{}, {}, { type: 'Published', status: 'False', reason: 'ContentTooLarge' }] },
      ]);
    }),
  );

  it(
    'writes an object again that somebody else has changed or removed, when it is looked at after a while',
    marbles((m) => {
      let stocks = 0;
      const { effects, asked } = effectsWith({
        stock: () => {
          stocks++;
          const theirs = { ...knownOf('web-cfg', '1'), resourceVersion: 'theirs' };
          return of(ok({ objects: stocks === 2 ? [theirs] : [], statuses: new Map() }));
        },
      });
      const states = m.cold('a', { a: stateOf('cfg=1 m=1') });
      m.expect(run(states, effects), '^ 310s !').toBeObservable('(cmsp) 299994ms (cmp)', values);
      m.flush();
      expect(asked.slice(3)).toStrictEqual(['web-cfg=1', 'm=1 new of uid-web-cfg']);
    }),
  );

  it(
    'removes everything when it is switched off',
    marbles((m) => {
      const off = stateOf('cfg=1 m=1');
      const states = m.hot('a 20s b', {
        a: stateOf('cfg=1 m=1'),
        b: { ...off, options: { ...off.options, enabled: false } },
      });
      const { effects } = effectsWith();
      m.expect(run(states, effects), '^ 60s !').toBeObservable('(cmsp) 19995ms (Crp)', {
        ...values,
        C: 'removed web-cfg',
      });
    }),
  );
});
