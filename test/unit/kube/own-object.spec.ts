import { describe, expect, it } from 'vitest';
import { createOnlyPart, hasCreator, ownManifest, ownerValue } from '../../../src/kube/own-object.ts';
import type { DeclaredResource } from '../../../src/protocol/declared.ts';

const identity = { namespace: 'haptic', name: 'main' };
const declared: DeclaredResource = {
  reference: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name: 'a' },
  object: { metadata: { name: 'a', labels: { app: 'x' } }, data: { token: 'first', color: 'red' } },
  createOnlyFields: ['data.token'],
  owner: { kind: 'Ingress', namespace: 'web', name: 'front' },
  place: 'x:1:1',
};
const manifestOf = (change: Partial<DeclaredResource> = {}, whose = identity) =>
  ownManifest({ ...declared, ...change }, declared.reference, whose);

describe('ownerValue', () => {
  it('is a label value that names the configuration', () => {
    expect(ownerValue(identity)).toBe('haptic.main');
  });

  it('fits whatever the names are, and tells long ones apart', () => {
    const long = (end: string) => ownerValue({ namespace: 'n'.repeat(63), name: `${'m'.repeat(200)}${end}` });
    expect(long('a')).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])$/);
    expect(long('a')).not.toBe(long('b'));
  });
});

describe('ownManifest', () => {
  it('keeps what templates print, and adds whose it is', () => {
    const { whole, kept, isPartial } = manifestOf();
    expect(whole).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { token: 'first', color: 'red' },
    });
    expect(whole.metadata).toMatchObject({
      name: 'a',
      namespace: 'web',
      labels: { app: 'x', 'haproxy-haptic.org/owned-by': 'haptic.main' },
    });
    expect(kept['data']).toStrictEqual({ color: 'red' });
    expect(isPartial).toBe(false);
  });

  it('has a digest of what is kept, and of whose it is', () => {
    const { digest } = manifestOf();
    const other = { ...declared.object, data: { token: 'second', color: 'red' } };
    expect(manifestOf({ object: other }).digest).toBe(digest);
    expect(manifestOf({ object: { ...other, data: { color: 'blue' } } }).digest).not.toBe(digest);
    expect(manifestOf({}, { ...identity, name: 'other' }).digest).not.toBe(digest);
  });

  it('claims nothing but its fields of an object of others', () => {
    const annotations = { 'haproxy-haptic.org/ownership': 'partial' };
    const { whole, isPartial } = manifestOf({ object: { metadata: { name: 'a', annotations } } });
    expect(isPartial).toBe(true);
    expect(whole.metadata.labels).toStrictEqual({ 'haproxy-haptic.org/part-owned-by': 'haptic.main' });
  });

  it('is owned by the configuration where both are in one namespace', () => {
    const object = { apiVersion: 'x/v1', kind: 'Config', uid: 'u' };
    const ownersIn = (namespace: string) =>
      ownManifest(declared, { ...declared.reference, namespace }, { ...identity, object }).whole.metadata;
    expect(ownersIn('haptic')).toMatchObject({
      ownerReferences: [{ kind: 'Config', name: 'main', uid: 'u' }],
    });
    expect(ownersIn('web')).not.toHaveProperty('ownerReferences');
    expect(ownersIn('')).not.toHaveProperty('ownerReferences');
  });
});

describe('fields that are set once', () => {
  const live = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'web' },
    data: { token: 'theirs', color: 'red' },
  };

  it('are taken as the object has them', () => {
    expect(createOnlyPart(manifestOf(), live)).toStrictEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'web' },
      data: { token: 'theirs' },
    });
  });

  it('are those of the manifest where the object has none', () => {
    expect(createOnlyPart(manifestOf(), { ...live, data: {} })['data']).toStrictEqual({ token: 'first' });
  });

  it('are taken one by one', () => {
    const createOnlyFields = ['data.token', 'data.color', "metadata.annotations['a/b']"];
    const object = { metadata: { name: 'a', annotations: { 'a/b': 'x' } }, data: { token: '1', color: '2' } };
    const part = createOnlyPart(manifestOf({ object, createOnlyFields }), {
      ...live,
      data: { color: 'theirs' },
    });
    expect(part['data']).toStrictEqual({ token: '1', color: 'theirs' });
    expect(part.metadata).toStrictEqual({ name: 'a', namespace: 'web', annotations: { 'a/b': 'x' } });
  });

  it('are set where the second manager has been', () => {
    expect(hasCreator(live)).toBe(false);
    const managedFields = [{ manager: 'haptic' }, { manager: 'haptic-create' }];
    expect(
      hasCreator({ ...live, metadata: { ...live.metadata, managedFields } as typeof live.metadata }),
    ).toBe(true);
  });
});
