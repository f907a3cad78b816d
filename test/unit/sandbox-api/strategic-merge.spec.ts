import { describe, expect, it } from 'vitest';
import { builtinSchema } from '../../../src/sandbox/api/builtin/builtin-schemas.ts';
import { jsonPatch } from '../../../src/sandbox/api/json-patch.ts';
import { mergePatch } from '../../../src/sandbox/api/merge-patch.ts';
import { strategicMerge } from '../../../src/sandbox/api/strategic-merge.ts';

const deployment = builtinSchema('apps.Deployment');
const merge = (target: object, patch: object) => strategicMerge(target, patch, deployment);
const withContainers = (...containers: object[]) => ({ spec: { template: { spec: { containers } } } });

describe('strategic merge patch', () => {
  it('merges list items by their merge key and appends new ones', () => {
    expect(
      merge(
        withContainers({ name: 'a', image: '1' }, { name: 'b', image: '1' }),
        withContainers({ name: 'b', image: '2' }, { name: 'c' }),
      ),
    ).toEqual(withContainers({ name: 'a', image: '1' }, { name: 'b', image: '2' }, { name: 'c' }));
  });

  it('deletes an item and replaces a list on directive', () => {
    const target = withContainers({ name: 'a' }, { name: 'b' });
    expect(merge(target, withContainers({ name: 'a', $patch: 'delete' }))).toEqual(
      withContainers({ name: 'b' }),
    );
    expect(merge(target, withContainers({ $patch: 'replace' }, { name: 'c' }))).toEqual(
      withContainers({ name: 'c' }),
    );
  });

  it('replaces lists that have no merge strategy', () => {
    const args = (...list: string[]) => withContainers({ name: 'a', args: list });
    expect(merge(args('1', '2'), args('3'))).toEqual(args('3'));
  });

  it('unites and thins out lists of scalars that merge', () => {
    const held = (finalizers: string[]) => ({ metadata: { finalizers } });
    expect(merge(held(['a']), held(['b']))).toEqual(held(['a', 'b']));
    expect(merge(held(['a', 'b']), { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } })).toEqual(
      held(['b']),
    );
  });

  it('orders items as told', () => {
    const patch = {
      spec: {
        template: {
          spec: {
            '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
            containers: [{ name: 'b', image: '2' }],
          },
        },
      },
    };
    expect(merge(withContainers({ name: 'a' }, { name: 'b' }), patch)).toEqual(
      withContainers({ name: 'b', image: '2' }, { name: 'a' }),
    );
  });

  it('retains only the keys named', () => {
    const target = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(merge(target, patch)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  it('removes by null and replaces maps on directive', () => {
    const target = { metadata: { labels: { a: '1', b: '2' } } };
    expect(merge(target, { metadata: { labels: { a: null } } })).toEqual({
      metadata: { labels: { b: '2' } },
    });
    expect(merge(target, { metadata: { labels: { $patch: 'replace', c: '3' } } })).toEqual({
      metadata: { labels: { c: '3' } },
    });
    expect(merge(target, { metadata: { labels: { $patch: 'delete' } } })).toEqual({ metadata: {} });
  });

  it('refuses an item without the merge key', () => {
    expect(() => merge(withContainers(), withContainers({ image: 'x' }))).toThrow(
      'does not contain declared merge key: name',
    );
  });

  it('never writes into the target', () => {
    const target = Object.freeze({ spec: Object.freeze({ replicas: 1 }) });
    expect(merge(target, { spec: { replicas: 2 } })).toEqual({ spec: { replicas: 2 } });
    expect(target.spec.replicas).toBe(1);
  });
});

describe('merge patch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [['a'], ['b'], ['b']],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of RFC 7386: %j with %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
});

describe('JSON patch', () => {
  it('applies operations in order and leaves the target alone', () => {
    const target = { a: [1, 2], b: { c: 1 } };
    const patch = [
      { op: 'test', path: '/b/c', value: 1 },
      { op: 'add', path: '/a/-', value: 3 },
      { op: 'remove', path: '/b/c' },
      { op: 'move', from: '/a/0', path: '/d' },
    ];
    expect(jsonPatch(target, patch)).toEqual({ a: [2, 3], b: {}, d: 1 });
    expect(target).toEqual({ a: [1, 2], b: { c: 1 } });
  });

  it('refuses what is no patch, what does not fit, and prototype keys', () => {
    expect(() => jsonPatch({}, {})).toThrow('list of operations');
    expect(() => jsonPatch({}, [{ op: 'remove', path: '/missing' }])).toThrow('error in our request');
    expect(() => jsonPatch({ a: 1 }, [{ op: 'test', path: '/a', value: 2 }])).toThrow('error in our request');
    expect(() => jsonPatch({}, [{ op: 'add', path: '/__proto__/x', value: 1 }])).toThrow();
  });
});
