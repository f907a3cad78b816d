import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { jsonPath } from '../../../src/lib/json-path.ts';
import { dropFields } from '../../../src/streams/drop-fields.ts';

const field = 'watchedResources.pods.ignoreFields';
const drop = (paths: readonly string[], object: KubeObject) => dropFields(paths, field)(object);

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'n', labels: { x: '1', y: '2' }, annotations: { 'k.io/z': 'long' } },
  spec: {
    containers: [
      { name: 'c', env: [1] },
      { name: 'd', env: [2] },
    ],
    nodeName: 'node',
  },
  status: { phase: 'Running' },
};

describe('dropFields', () => {
  it.each([
    ['status', { status: undefined }],
    ['$.status.phase', { status: {} }],
    ["metadata.annotations['k.io/z']", { metadata: { ...object.metadata, annotations: {} } }],
    ['metadata.labels[*]', { metadata: { ...object.metadata, labels: {} } }],
    ['spec.containers[*].env', { spec: { containers: [{ name: 'c' }, { name: 'd' }], nodeName: 'node' } }],
    [
      'spec.containers[1].env',
      { spec: { containers: [{ name: 'c', env: [1] }, { name: 'd' }], nodeName: 'node' } },
    ],
    ['spec.containers[0]', { spec: { containers: [{ name: 'd', env: [2] }], nodeName: 'node' } }],
    ['spec.containers[*]', { spec: { containers: [], nodeName: 'node' } }],
  ])('takes out %s', (path, difference) => {
    const expected = { ...object, ...difference };
    expect(drop([path], object)).toEqual(expected);
  });

  it('returns the very object when there is nothing to take out', () => {
    expect(drop([], object)).toBe(object);
    expect(drop(['spec.missing', 'status.x.y', 'metadata.labels[0]', 'kindred[*].x'], object)).toBe(object);
  });

  it('leaves the object given, and shares with it what it keeps', () => {
    const before = structuredClone(object);
    const left = drop(['spec.nodeName', 'status'], object);
    expect(object).toStrictEqual(before);
    expect(left.metadata).toBe(object.metadata);
  });

  it.each([
    'metadata',
    'metadata.name',
    '$.metadata.uid',
    'metadata[*]',
    'kind',
    'apiVersion',
    '*',
    "['metadata'].resourceVersion",
  ])('refuses to ignore %s', (path) => {
    expect(() => dropFields([path], field)).toThrow(
      expect.objectContaining({ code: 'HAPTIC_ERR_CONFIG_IGNORE_FIELD' }),
    );
    expect(() => dropFields([path], field)).toThrow(field);
  });

  it('refuses what is no path', () => {
    expect(() => dropFields(['a..b'], field)).toThrow(
      expect.objectContaining({ code: 'HAPTIC_ERR_TEMPLATE_JSONPATH' }),
    );
  });

  it('leaves nothing at a path, and everything at the others', () => {
    const path = fc
      .array(fc.constantFrom('.a', '.b', '[*]'), { minLength: 1, maxLength: 4 })
      .map((steps) => `spec${steps.join('')}`);
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('x', 1),
        fc.array(tie('any'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('any'), { noNullPrototype: true }),
      ),
    })).any;
    fc.assert(
      fc.property(value, path, (spec, one) => {
        const left = drop([one], { kind: 'X', metadata: { name: 'n' }, spec, status: { kept: true } });
        expect(jsonPath(one)(left)).toStrictEqual([]);
        expect(left['status']).toStrictEqual({ kept: true });
      }),
    );
  });
});
