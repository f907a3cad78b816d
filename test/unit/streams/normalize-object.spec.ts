import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeObject } from '../../../src/streams/normalize-object.ts';
import { nested } from '../../fixtures/nested.ts';

const hint = { apiVersion: 'example.com/v1', kind: 'Widget' };
const good = { metadata: { name: 'a', namespace: 'ns', resourceVersion: '7' } };

describe('normalizeObject', () => {
  it('takes managedFields and the last-applied annotation out, and nothing else', () => {
    const object = {
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: {
        name: 'a',
        managedFields: [{ manager: 'kubectl' }],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', keep: 'me' },
        labels: { l: '1' },
      },
      spec: { managedFields: 'stay' },
      data: { x: 1 },
    };
    expect(normalizeObject(structuredClone(object), hint)).toEqual({
      ok: true,
      object: {
        ...object,
        metadata: { name: 'a', annotations: { keep: 'me' }, labels: { l: '1' } },
      },
    });
  });

  it('works in place', () => {
    const object = structuredClone(good);
    const result = normalizeObject(object, hint);
    expect(result.ok && result.object).toBe(object);
  });

  it('does not let names of JavaScript into the prototypes of what it builds', () => {
    const text =
      '{"metadata":{"name":"a","__proto__":{"namespace":"evil"},' +
      '"annotations":{"__proto__":{"x":"y"},"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}';
    const value = JSON.parse(text.replace('{"x":"y"}', '"x"')) as unknown;
    const result = normalizeObject(value, hint);
    const metadata = result.ok ? result.object.metadata : undefined;
    expect(metadata).toStrictEqual({ name: 'a', annotations: {} });
    expect(metadata?.namespace).toBeUndefined();
    expect(({} as Record<string, unknown>)['namespace']).toBeUndefined();
  });

  it('takes null for a field that is not there', () => {
    const nulls = {
      namespace: null,
      labels: null,
      annotations: null,
      deletionTimestamp: null,
      creationTimestamp: null,
    };
    expect(normalizeObject({ metadata: { name: 'a', ...nulls }, spec: null }, hint)).toEqual({
      ok: true,
      object: { ...hint, metadata: { name: 'a' }, spec: null },
    });
  });

  it('refuses what readers of a store rely on, naming object and field', () => {
    const { metadata } = good;
    const cases: [unknown, string][] = [
      [null, ''],
      ['text', ''],
      [[good], ''],
      [{}, 'metadata'],
      [{ metadata: 'x' }, 'metadata'],
      [{ metadata: {} }, 'metadata.name'],
      [{ metadata: { ...metadata, name: '' } }, 'metadata.name'],
      [{ metadata: { ...metadata, name: 5 } }, 'metadata.name'],
      [{ metadata: { ...metadata, namespace: {} } }, 'metadata.namespace'],
      [{ metadata: { ...metadata, uid: 1 } }, 'metadata.uid'],
      [{ metadata: { ...metadata, resourceVersion: 1 } }, 'metadata.resourceVersion'],
      [{ metadata: { ...metadata, creationTimestamp: 1 } }, 'metadata.creationTimestamp'],
      [{ metadata: { ...metadata, labels: [] } }, 'metadata.labels'],
      [{ metadata: { ...metadata, labels: { a: 1 } } }, 'metadata.labels[a]'],
      [{ metadata: { ...metadata, annotations: { 'x.io/y': null } } }, 'metadata.annotations[x.io/y]'],
      [{ metadata, spec: 'x' }, 'spec'],
      [{ metadata, status: [] }, 'status'],
      [{ metadata, kind: 5 }, 'kind'],
    ];
    for (const [value, field] of cases) {
      const result = normalizeObject(value, hint);
      expect(result).toMatchObject({
        ok: false,
        problem: { severity: 'error', reason: 'MalformedObject', field, owner: { kind: 'Widget' } },
      });
      expect(!result.ok && result.problem.message).toMatch(/ignored$/);
    }
    expect(normalizeObject({ metadata, spec: 'x' }, hint)).toMatchObject({
      problem: { owner: { namespace: 'ns', name: 'a' } },
      resourceVersion: '7',
    });
  });

  it('refuses what is nested without end, but where it does not matter', () => {
    const deep = { ...good, spec: nested(20_000) };
    expect(normalizeObject({ ...deep }, hint)).toMatchObject({
      ok: false,
      resourceVersion: '7',
      problem: {
        message: 'the object is nested more than 200 deep; the object is ignored',
        owner: { kind: 'Widget', namespace: 'ns', name: 'a' },
      },
    });
    expect(normalizeObject({ ...deep }, { ...hint, anyDepth: true }).ok).toBe(true);
    expect(normalizeObject({ ...good, spec: nested(190) }, hint).ok).toBe(true);
  });

  it('never throws, and what it lets pass has a name', () => {
    const metadata = fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), labels: fc.jsonValue() }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ metadata })), (value) => {
        const result = normalizeObject(structuredClone(value), hint);
        return result.ok ? result.object.metadata.name.length > 0 : result.problem.owner.kind === 'Widget';
      }),
    );
  });
});
