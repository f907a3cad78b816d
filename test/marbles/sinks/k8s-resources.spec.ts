import { marbles } from 'rxjs-marbles';
import { type Observable, defer, map, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import { type DeclaredResource, referenceKey } from '../../../src/protocol/declared.ts';
import {
  type AcceptedResources,
  type KnownResource,
  type ResourceEffects,
  type ResourceReport,
  k8sResources,
} from '../../../src/sinks/k8s-resources.ts';

const timing = { retry: { min: 1_000, max: 8_000 }, resync: 600_000 };

/** `a=1`: a ConfigMap `ns/a` whose content is 1. */
const declared = (pair: string): DeclaredResource => {
  const [name = '', value = ''] = pair.split('=');
  const namespace = name.startsWith('c') ? '' : 'ns';
  return {
    reference: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name },
    object: { data: { value } },
    createOnlyFields: [],
    owner: { kind: 'Ingress', namespace: 'ns', name },
    place: 'x:1:1',
  };
};
const accepted = (pairs: string, held: readonly string[] = []): AcceptedResources => ({
  resources: orderedMapFrom(
    pairs
      .split(' ')
      .filter((pair) => pair !== '')
      .map(declared)
      .map((resource) => [referenceKey(resource.reference), resource] as const),
  ),
  isHeldBack: (owner) => held.includes(owner),
});
const known = (name: string, namespace = 'ns'): KnownResource => ({
  reference: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name },
  uid: `uid-${name}`,
  isPartial: false,
  digest: 'd',
  declaredBy: `Ingress ns/${name}`,
});
const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };

type Applied = ReturnType<ResourceEffects['apply']>;
type Removed = ReturnType<ResourceEffects['remove']>;

/** Effects that succeed at once unless said otherwise, and a protocol of what was asked. */
function effectsWith(given: {
  readonly apply?: (name: string, always: boolean) => Applied | undefined;
  readonly remove?: (name: string) => Removed | undefined;
  readonly inventory?: ResourceEffects['inventory'];
  readonly writeKinds?: ResourceEffects['writeKinds'];
}) {
  const asked: string[] = [];
  const effects: ResourceEffects = {
    apply: ({ reference, object }, { known: former, always }) =>
      defer(() => {
        const { value } = object['data'] as { value: string };
        const { name } = reference;
        asked.push(`apply ${name}=${value}${former === undefined ? ' first' : ''}${always ? ' again' : ''}`);
        const done = { kind: 'done' as const, object: known(name), isNew: true };
        return given.apply?.(name, always) ?? of(done);
      }),
    remove: ({ reference }) =>
      defer(() => {
        asked.push(`remove ${reference.name}`);
        return given.remove?.(reference.name) ?? of({ kind: 'done' as const });
      }),
    inventory: given.inventory ?? (() => of({ kinds: [configMaps], objects: [] })),
    writeKinds: (kinds) =>
      defer(() => {
        asked.push(`kinds ${kinds.map(({ kind }) => kind).join(',')}`);
        return given.writeKinds?.(kinds) ?? of(undefined);
      }),
  };
  return { effects, asked };
}

const words = map(({ kind, object, message }: ResourceReport) =>
  [kind, object.split(/[ /]/).at(-1), message].filter((word) => word !== undefined).join(' '),
);
const run = (
  accepted$: Observable<AcceptedResources>,
  effects: ResourceEffects,
  leader$: Observable<boolean> = of(true),
) => k8sResources(accepted$, { effects, namespace: 'ns', leader$, timing }).pipe(words);

const done = (name: string, isNew = true) => ({ kind: 'done' as const, object: known(name), isNew });

describe('k8sResources', () => {
  it(
    'applies what is declared, asks nothing of what did not change, and removes what is declared no more',
    marbles((m) => {
      const renders = m.hot('a---b---c-', {
        a: accepted('a=1 b=1'),
        b: accepted('a=2 b=1'),
        c: accepted('b=1'),
      });
      const { effects, asked } = effectsWith({});
      m.expect(run(renders, effects), '^---------!').toBeObservable('(ab)a---r', {
        a: 'applied a',
        b: 'applied b',
        r: 'removed a',
      });
      m.expect(renders).toHaveSubscriptions('^---------!');
      m.flush();
      expect(asked).toStrictEqual(['apply a=1 first', 'apply b=1 first', 'apply a=2', 'remove a']);
    }),
  );

  it(
    'removes what a former process made and nothing declares, once it knows what there is',
    marbles((m) => {
      const inventory = m.cold('---(i|)', {
        i: { kinds: [configMaps], objects: [known('a'), known('old')] },
      });
      const { effects, asked } = effectsWith({ inventory: () => inventory });
      const latest = m.cold('a', { a: accepted('a=1') });
      m.expect(run(latest, effects), '^-----!').toBeObservable('---(ar)', {
        a: 'applied a',
        r: 'removed old',
      });
      m.expect(inventory).toHaveSubscriptions('^--!');
      m.expect(latest).toHaveSubscriptions('---^--!');
      m.flush();
      expect(asked).toStrictEqual(['apply a=1', 'remove old']);
    }),
  );

  it(
    'asks again what there is, with growing pauses, and touches nothing before it knows',
    marbles((m) => {
      const trouble = { reason: 'Forbidden', message: 'no' };
      const fails = m.cold('(i|)', { i: { kinds: [], objects: [], trouble } });
      const works = m.cold('(i|)', { i: { kinds: [configMaps], objects: [] } });
      let asks = 0;
      const { effects } = effectsWith({ inventory: () => (++asks < 3 ? fails : works) });
      const latest = m.cold('a', { a: accepted('a=1') });
      m.expect(run(latest, effects), '^ 4s !').toBeObservable('x 999ms x 1999ms (ua)', {
        x: 'failed processes no',
        u: 'unchanged processes',
        a: 'applied a',
      });
      m.expect(fails).toHaveSubscriptions(['(^!)', '1s (^!)']);
    }),
  );

  it(
    'goes on where some kinds cannot be listed, asks again for those, and removes what is left of them then',
    marbles((m) => {
      const unlisted = { reason: 'Forbidden', message: 'no Secrets' };
      const some = m.cold('(i|)', { i: { kinds: [configMaps], objects: [], unlisted } });
      const all = m.cold('(i|)', { i: { kinds: [configMaps], objects: [known('a'), known('old')] } });
      let asks = 0;
      const { effects, asked } = effectsWith({ inventory: () => (++asks < 3 ? some : all) });
      const latest = m.cold('a-', { a: accepted('a=1') });
      m.expect(run(latest, effects), '^ 5s !').toBeObservable('(xa) 996ms x 1999ms (ur)', {
        x: 'failed processes no Secrets',
        a: 'applied a',
        u: 'unchanged processes',
        r: 'removed old',
      });
      m.expect(some).toHaveSubscriptions(['(^!)', '1s (^!)']);
      m.expect(all).toHaveSubscriptions('3s (^!)');
      m.expect(latest).toHaveSubscriptions('^ 5s !');
      m.flush();
      expect(asked).toStrictEqual(['apply a=1 first', 'remove old']);
    }),
  );

  it(
    'writes a kind down before the first object of it is made',
    marbles((m) => {
      const written = m.cold('---(w|)', { w: undefined });
      const { effects, asked } = effectsWith({
        inventory: () => of({ kinds: [], objects: [] }),
        writeKinds: () => written,
      });
      const renders = m.cold('a----b', { a: accepted('a=1'), b: accepted('a=1 b=1') });
      m.expect(run(renders, effects), '^------!').toBeObservable('---a-b-', {
        a: 'applied a',
        b: 'applied b',
      });
      m.expect(written).toHaveSubscriptions('^--!');
      m.flush();
      expect(asked[0]).toBe('kinds ConfigMap');
    }),
  );

  it(
    'keeps what was declared by an object that is held back now, and removes it when that is let go',
    marbles((m) => {
      const renders = m.cold('a-b-c-', {
        a: accepted('a=1'),
        b: accepted('', ['Ingress ns/a']),
        c: accepted(''),
      });
      const { effects } = effectsWith({});
      m.expect(run(renders, effects), '^-----!').toBeObservable('a-k-r-', {
        a: 'applied a',
        k: 'kept a',
        r: 'removed a',
      });
    }),
  );

  it(
    'tries a failure again with growing pauses, and what was refused after the longest; something newer goes at once',
    marbles((m) => {
      const fails = m.cold<never>('(x|)', {
        x: { kind: 'failed', reason: 'Timeout', message: 'slow' } as never,
      });
      const refused = m.cold<never>('(x|)', {
        x: { kind: 'refused', reason: 'Forbidden', message: 'no' } as never,
      });
      const { effects, asked } = effectsWith({
        apply: (name) => (name === 'a' ? fails : name === 'b' ? refused : undefined),
      });
      const renders = m.cold('a 9s b', { a: accepted('a=1 b=1'), b: accepted('a=2 b=1') });
      m.expect(run(renders, effects), '^ 9100ms !').toBeObservable(
        '(fr) 996ms f 1999ms f 3999ms f 999ms r 1s f',
        {
          f: 'failed a slow',
          r: 'refused b no',
        },
      );
      m.flush();
      expect(asked.at(-1)).toBe('apply a=2 first');
    }),
  );

  it(
    'applies again after a while, in case somebody has changed it',
    marbles((m) => {
      const { effects, asked } = effectsWith({ apply: (name, always) => of(done(name, !always)) });
      const renders = m.cold('a', { a: accepted('a=1') });
      m.expect(run(renders, effects), '^ 15m !').toBeObservable('a 599999ms u', {
        a: 'applied a',
        u: 'unchanged a',
      });
      m.flush();
      expect(asked).toStrictEqual(['apply a=1 first', 'apply a=1 again']);
    }),
  );

  it(
    'removes what an apply may have made that was not answered yet',
    marbles((m) => {
      const slow = m.cold('----(d|)', { d: done('a') });
      const { effects, asked } = effectsWith({ apply: () => slow });
      const renders = m.cold('a-b', { a: accepted('a=1'), b: accepted('') });
      m.expect(run(renders, effects), '^--------!').toBeObservable('----(ar)', {
        a: 'applied a',
        r: 'removed a',
      });
      m.expect(slow).toHaveSubscriptions('^---!');
      m.flush();
      expect(asked).toStrictEqual(['apply a=1 first', 'remove a']);
    }),
  );

  it(
    'tries a removal again that failed',
    marbles((m) => {
      const fails = m.cold<never>('(x|)', {
        x: { kind: 'failed', reason: 'Timeout', message: 'slow' } as never,
      });
      let tries = 0;
      const { effects } = effectsWith({ remove: () => (++tries === 1 ? fails : undefined) });
      const renders = m.cold('a-b', { a: accepted('a=1'), b: accepted('') });
      m.expect(run(renders, effects), '^ 2s !').toBeObservable('a-f 999ms r', {
        a: 'applied a',
        f: 'failed a slow',
        r: 'removed a',
      });
    }),
  );

  it(
    'knows an object without a namespace again, which is in that of the controller',
    marbles((m) => {
      const { effects, asked } = effectsWith({});
      const renders = m.cold('a-b-c-d', {
        a: accepted('c=1'),
        b: accepted('c=1'),
        c: accepted('c=2'),
        d: accepted(''),
      });
      m.expect(run(renders, effects), '^-------!').toBeObservable('a-a-a-r', {
        a: 'applied c',
        r: 'removed c',
      });
      m.flush();
      expect(asked).toStrictEqual(['apply c=1 first', 'apply c=1', 'apply c=2', 'remove c']);
    }),
  );

  it(
    'does nothing as long as another process leads, and ends what is under way when it loses the lead',
    marbles((m) => {
      const slow = m.cold('   -----(d|)', { d: done('a') });
      const leader = m.hot('  f-t--f---t-------', { f: false, t: true });
      const inventory = m.cold('(i|)', { i: { kinds: [configMaps], objects: [] } });
      const { effects } = effectsWith({ apply: () => slow, inventory: () => inventory });
      const latest = m.cold(' a', { a: accepted('a=1') });
      const unsub = '         ^---------------!';
      m.expect(run(latest, effects, leader), unsub).toBeObservable('--------------a', { a: 'applied a' });
      m.expect(inventory).toHaveSubscriptions(['--(^!)', '---------(^!)']);
      m.expect(slow).toHaveSubscriptions(['--^--!', '---------^----!']);
      m.expect(leader).toHaveSubscriptions(unsub);
    }),
  );
});
