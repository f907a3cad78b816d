import { marbles } from 'rxjs-marbles';
import { EMPTY, NEVER, defer, map, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { referenceKey, type StatusPatch } from '../../../src/protocol/declared.ts';
import {
  type KeepStatusesEffects,
  keepStatuses,
  type KeptStatus,
  type StatusInputs,
} from '../../../src/sinks/keep-statuses.ts';
import type { StatusApplied } from '../../../src/kube/status-objects.ts';
import type { DeployedStatuses } from '../../../src/sinks/status-deployed.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const timing = { retry: { min: 1_000, max: 8_000 }, forbidden: 60_000 };
const kindOf = (name: string) => (name.startsWith('o') ? 'Other' : 'Widget');
const targetOf = (name: string) => ({ apiVersion: 'v1', kind: kindOf(name), namespace: '', name });

const patchOf = (name: string, says: string): StatusPatch => ({
  target: targetOf(name),
  variants: { rendered: { says }, deployed: { runs: says }, validateFailed: { says: 'refused' } },
  owner: { kind: 'Widget', namespace: '', name },
  place: 't:1:1',
});
/** `a=1 b=2` */
const patches = (words: string) =>
  orderedMapFrom(
    words.split(' ').map((word) => {
      const [name = '', says = ''] = word.split('=');
      return [referenceKey(targetOf(name)), patchOf(name, says)] as const;
    }),
  );
const render = (words: string): Bundle => ({ ...bundleOf(words), statusPatches: patches(words) });
const deployed = (words: string): DeployedStatuses => ({ patches: patches(words), isRejected: false });

/** Effects that succeed at once unless said otherwise, and a protocol of what was asked. */
function effectsWith(given: Partial<KeepStatusesEffects> = {}) {
  const asked: string[] = [];
  const effects: KeepStatusesEffects = {
    live: () => undefined,
    apply: ({ target: { name }, manager, status }) =>
      defer(() => {
        asked.push(
          `${name} ${manager.replace('haptic-', '')} ${status === undefined ? '-' : Object.values(status).join()}`,
        );
        return of<StatusApplied>({
          kind: 'done',
          object: { metadata: { name, uid: name, resourceVersion: '1' }, ...(status && { status }) },
        });
      }),
    kinds: () => of({ kind: 'known', value: [{ apiVersion: 'v1', kind: 'Widget' }] }),
    writeKinds: (kinds) =>
      defer(() => {
        asked.push(`kinds ${kinds.map(({ kind }) => kind).join()}`);
        return of({ kind: 'known', value: undefined } as const);
      }),
    inventory: () => of({ kind: 'known', value: new Map() }),
    ...given,
  };
  return { effects, asked };
}

const words = map((report: KeptStatus) =>
  'object' in report
    ? [report.kind, report.object.split(' ').at(-1), report.manager.replace('haptic-', '')].join(' ')
    : `${report.kind} ${report.message}`,
);
const run = (inputs: Partial<StatusInputs>, effects: KeepStatusesEffects) =>
  keepStatuses(
    {
      bundle$: NEVER,
      refused$: NEVER,
      deployed$: NEVER,
      own$: EMPTY,
      touched$: NEVER,
      leader$: of(true),
      ...inputs,
    },
    effects,
    timing,
  ).pipe(words);

describe('keepStatuses', () => {
  it(
    'writes what is rendered, then what is deployed, and gives up what is declared no more',
    marbles((m) => {
      const bundle$ = m.hot('  a--b----c--', { a: render('a=1'), b: render('a=2'), c: render('b=1') });
      const deployed$ = m.hot('-d----e----', { d: deployed('a=1'), e: deployed('a=2') });
      const { effects, asked } = effectsWith();
      m.expect(run({ bundle$, deployed$ }, effects), '^----------!').toBeObservable('rd-r--d-(xyz)', {
        r: 'written a rendered',
        d: 'written a deployed',
        x: 'withdrawn a rendered',
        y: 'withdrawn a deployed',
        z: 'written b rendered',
      });
      m.expect(bundle$).toHaveSubscriptions('^----------!');
      m.expect(deployed$).toHaveSubscriptions('^----------!');
      m.flush();
      expect(asked).toStrictEqual([
        'a rendered 1',
        'a deployed 1',
        'a rendered 2',
        'a deployed 2',
        'a rendered -',
        'a deployed -',
        'b rendered 1',
      ]);
    }),
  );

  it(
    'writes nothing while it does not lead, and what is true then when it does',
    marbles((m) => {
      const bundle$ = m.hot('  a--b----c-----', { a: render('a=1'), b: render('a=2'), c: render('a=3') });
      const leader$ = m.hot('  s---l----s-l--', { s: false, l: true });
      const deployed$ = m.cold('d             ', { d: deployed('a=2') });
      const { effects, asked } = effectsWith();
      m.expect(run({ bundle$, leader$, deployed$ }, effects), '^-------------!').toBeObservable(
        '----(rd)r--(rd)',
        {
          r: 'written a rendered',
          d: 'written a deployed',
        },
      );
      m.expect(bundle$).toHaveSubscriptions('^-------------!');
      m.expect(leader$).toHaveSubscriptions('^-------------!');
      m.expect(deployed$).toHaveSubscriptions(['----^----!', '-----------^--!']);
      m.flush();
      expect(asked[0]).toBe('a rendered 2');
    }),
  );

  it(
    'ends what is under way when it leads no more, and begins it again when it does',
    marbles((m) => {
      const never = m.cold<StatusApplied>('---------');
      const bundle$ = m.hot('  a--------', { a: render('a=1') });
      const leader$ = m.hot('  l--s--l--', { s: false, l: true });
      const { effects } = effectsWith({ apply: () => never });
      m.expect(run({ bundle$, leader$ }, effects), '^-------!').toBeObservable('---------');
      m.expect(never).toHaveSubscriptions(['^--!', '------^-!']);
    }),
  );

  it(
    'writes a new kind down before it writes of it, also when that fails at first',
    marbles((m) => {
      const bundle$ = m.hot('a', { a: render('a=1 o=1') });
      let attempts = 0;
      const failed = { kind: 'unknown', message: '503' } as const;
      const done = { kind: 'known', value: undefined } as const;
      const { effects, asked } = effectsWith({
        writeKinds: () => defer(() => of(attempts++ === 0 ? failed : done)),
      });
      m.expect(run({ bundle$ }, effects)).toBeObservable('(ua) 996ms o', {
        a: 'written a rendered',
        u: 'unknown 503',
        o: 'written o rendered',
      });
      m.flush();
      expect(asked).toStrictEqual(['a rendered 1', 'o rendered 1']);
    }),
  );

  it(
    'gives up what former processes wrote once that is known, and writes nothing before it knows of which kinds',
    marbles((m) => {
      const kinds = m.cold('---u', { u: { kind: 'unknown', message: '403' } } as const);
      const known = of({ kind: 'known', value: [{ apiVersion: 'v1', kind: 'Widget' }] } as const);
      let attempts = 0;
      const old = {
        target: targetOf('old'),
        uid: 'old',
        fields: new Map([['haptic-rendered', { 'f:says': {} }]] as const),
      };
      const inventory = m.cold('-i', {
        i: { kind: 'known', value: new Map([[referenceKey(old.target), old]]) } as const,
      });
      const { effects, asked } = effectsWith({
        kinds: () => defer(() => (attempts++ === 0 ? kinds : known)),
        inventory: () => inventory,
      });
      const bundle$ = m.hot('a', { a: render('a=1') });
      m.expect(run({ bundle$ }, effects), '^ 2s !').toBeObservable('---u 999ms aw', {
        u: 'unknown 403',
        a: 'written a rendered',
        w: 'withdrawn old rendered',
      });
      m.flush();
      expect(asked).toStrictEqual(['a rendered 1', 'old rendered -']);
    }),
  );

  it(
    'takes any number of objects of a kind that is being written down',
    marbles((m) => {
      const words = Array.from({ length: 3_000 }, (_, index) => `o${index}=1`).join(' ');
      const bundle$ = m.hot('a', { a: render(words) });
      const written = m.cold('----(w|)', { w: { kind: 'known', value: undefined } as const });
      const { effects, asked } = effectsWith({ writeKinds: () => written });
      const running = run({ bundle$ }, effects).subscribe();
      m.cold('------(a|)').subscribe(() => {
        running.unsubscribe();
        expect(asked).toHaveLength(3_000);
      });
      m.expect(written).toHaveSubscriptions('^---!');
    }),
  );

  it(
    'gives up nothing before the first render is there',
    marbles((m) => {
      const former = {
        target: targetOf('a'),
        uid: 'a',
        fields: new Map([['haptic-rendered', { 'f:says': {} }]] as const),
      };
      const inventory = of({
        kind: 'known',
        value: new Map([[referenceKey(former.target), former]]),
      } as const);
      const { effects, asked } = effectsWith({ inventory: () => inventory });
      const bundle$ = m.hot('---a-', { a: render('a=1') });
      m.expect(run({ bundle$ }, effects), '^----!').toBeObservable('---r-', { r: 'written a rendered' });
      m.flush();
      expect(asked).toStrictEqual(['a rendered 1']);
    }),
  );

  it(
    'says what is refused while it is, and looks again at objects that changed',
    marbles((m) => {
      const bundle$ = m.hot(' a------', { a: render('a=1') });
      const refused$ = m.hot('--x-----o-', { x: new Set(['Widget a']), o: new Set<string>() });
      const touched$ = m.hot('----------t', { t: [referenceKey(targetOf('a')), 'v1 Other foreign'] });
      const { effects, asked } = effectsWith();
      m.expect(run({ bundle$, refused$, touched$ }, effects), '^----------!').toBeObservable('r-(vw)--(rx)', {
        r: 'written a rendered',
        v: 'written a validateFailed',
        w: 'withdrawn a rendered',
        x: 'withdrawn a validateFailed',
      });
      m.flush();
      expect(asked.at(-1)).toBe('a validateFailed -');
    }),
  );

  it(
    'writes what no template declares',
    marbles((m) => {
      const target = targetOf('config');
      const wish = {
        key: referenceKey(target),
        target,
        parts: [['haptic-objects', { count: 1 }]],
        kept: [],
      } as const;
      const { effects, asked } = effectsWith();
      m.expect(
        run({ bundle$: m.cold('a--', { a: render('b=1') }), own$: m.cold('-w', { w: wish }) }, effects),
        '^--!',
      ).toBeObservable('bw', {
        b: 'written b rendered',
        w: 'written config objects',
      });
      m.flush();
      expect(asked).toStrictEqual(['b rendered 1', 'config objects 1']);
    }),
  );
});
