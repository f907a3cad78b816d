import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { isReference, referenceTo } from '../../../src/api/object-reference.ts';
import { jsonPath } from '../../../src/lib/json-path.ts';

const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'tls',
    namespace: 'shop',
    uid: 'u1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'a.b/c': 'x', other: 'y' },
    annotations: { long: 'text' },
  },
  type: 'kubernetes.io/tls',
  data: { 'tls.key': 'secret', 'tls.crt': 'public' },
  hosts: [{ name: 'a', more: 1 }, { name: 'b' }],
};

describe('referenceTo', () => {
  it('keeps what tells objects apart and nothing else', () => {
    expect(referenceTo(['metadata.namespace', 'metadata.name'])(secret)).toStrictEqual({
      metadata: { name: 'tls', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
    });
  });

  it('keeps the values of the paths where they stand', () => {
    expect(referenceTo(["metadata.labels['a.b/c']", 'type', 'hosts[*].name'])(secret)).toStrictEqual({
      metadata: {
        name: 'tls',
        namespace: 'shop',
        uid: 'u1',
        resourceVersion: '7',
        labels: { 'a.b/c': 'x' },
      },
      type: 'kubernetes.io/tls',
      hosts: [{ name: 'a' }, { name: 'b' }],
    });
  });

  it('keeps no field of a path that the object does not have', () => {
    const reference = referenceTo(['spec.missing[*].x', 'metadata.labels.none'])(secret);
    expect(Object.keys(reference)).toStrictEqual(['metadata']);
    expect(reference.metadata.labels).toBeUndefined();
  });

  it('carries no secret, whatever the paths beside it are', () => {
    expect(JSON.stringify(referenceTo(['type', 'data', 'metadata.annotations'])(secret))).not.toContain(
      'secret',
    );
  });

  it('does not change the object', () => {
    const before = structuredClone(secret);
    referenceTo(['hosts[0].name', 'hosts[*].more'])(secret);
    expect(secret).toStrictEqual(before);
  });

  it('is told from an object, of a cluster-wide kind too', () => {
    expect(isReference(secret)).toBe(false);
    expect(isReference(referenceTo([])(secret))).toBe(true);
    expect(referenceTo([])({ kind: 'Node', metadata: { name: 'n1' } })).toStrictEqual({
      metadata: { name: 'n1' },
    });
  });

  it('reads by the same paths what the object reads', () => {
    const key = fc.constantFrom('a', 'b', 'metadata');
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('x', 'y', 1, true, null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any;
    const path = fc
      .array(fc.constantFrom('.a', '.b', '[*]', '[0]', '[1]', '.*'), { minLength: 1, maxLength: 4 })
      .map((steps) => `x${steps.join('')}`);
    fc.assert(
      fc.property(value, fc.array(path, { minLength: 1, maxLength: 3 }), (x, paths) => {
        const object: KubeObject = { kind: 'X', metadata: { name: 'n' }, x };
        const reference = referenceTo(paths)(object);
        for (const one of paths) expect(jsonPath(one)(reference)).toStrictEqual(jsonPath(one)(object));
      }),
      { numRuns: 500 },
    );
  });
});
