import { describe, expect, it } from 'vitest';
import { mergeGlobal } from '../../../src/validation/merge-global.ts';

const service = (name: string, rest: object = {}) => ({ metadata: { namespace: 'web', name }, ...rest });

describe('_global', () => {
  const tests = {
    _global: {
      fixtures: { services: [service('a', { spec: 1 }), service('b')], secrets: [service('s')] },
      httpResources: [
        { url: 'http://one/', content: 'global' },
        { url: 'http://two/', content: 'global' },
      ],
      assertions: [{ type: 'haproxy_valid' as const }],
      extraContext: { x: 1 },
    },
    one: {
      fixtures: { services: [service('a', { spec: 2 })], pods: [service('p')] },
      httpResources: [{ url: 'http://two/', content: 'own' }],
    },
    two: { description: 'has nothing' },
  };

  it('lends its objects, unless the test has the same ones', () => {
    expect(mergeGlobal(tests, 'one')?.fixtures).toEqual({
      services: [service('b'), service('a', { spec: 2 })],
      secrets: [service('s')],
      pods: [service('p')],
    });
  });

  it('lends its HTTP resources by URL', () => {
    expect(mergeGlobal(tests, 'one')?.httpResources).toEqual([
      { url: 'http://one/', content: 'global' },
      { url: 'http://two/', content: 'own' },
    ]);
  });

  it('lends neither its assertions nor its context', () => {
    const test = mergeGlobal(tests, 'two');
    expect(test).toEqual({
      description: 'has nothing',
      fixtures: tests._global.fixtures,
      httpResources: tests._global.httpResources,
    });
  });

  it('tells objects apart by namespace, kind and apiVersion', () => {
    const others = [
      { metadata: { namespace: 'shop', name: 'a' } },
      { ...service('a'), kind: 'Other' },
      { ...service('a'), apiVersion: 'v2' },
    ];
    const merged = mergeGlobal({ _global: tests._global, t: { fixtures: { services: others } } }, 't');
    expect(merged?.fixtures?.['services']).toHaveLength(5);
  });

  it('is a test of its own, as it is', () => {
    expect(mergeGlobal(tests, '_global')).toBe(tests._global);
  });

  it('makes no test of a name that is none', () => {
    expect(mergeGlobal(tests, 'three')).toBeUndefined();
  });
});
