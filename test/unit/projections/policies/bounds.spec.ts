import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { createIngressWorld } from '../ingress-world.ts';
import { prefixed } from '../../../fixtures/prefixed.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';

const policyBounds = { profiles: 2, matches: 1 };
const served = (namespace: string) => [
  service({ name: 'web', namespace }),
  endpointSlice({ service: 'web', namespace, endpoints: ['10.0.0.1'] }),
];
const world = (...objects: readonly KubeObject[]) =>
  createIngressWorld([ingressClass(), ...served('shop'), ...served('other'), ...objects], { policyBounds });
/** An Ingress of `created` days of age, for a host of its own. */
const said = (name: string, day: number, annotations: Readonly<Record<string, string>>, namespace = 'shop') =>
  ingress({
    name,
    namespace,
    created: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`,
    annotations: prefixed(annotations),
    rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: 'web' }] }],
  });
const timeout = (name: string, day: number, namespace?: string) =>
  said(name, day, { 'timeout-server': `${day}s` }, namespace);

describe('profiles of a namespace', () => {
  it('are so many, for those who came first', () => {
    const w = world(timeout('c', 3), timeout('b', 2), timeout('a', 1));
    expect(w.profiles.size).toBe(2);
    expect(w.problems()).toMatchObject([
      {
        owner: { kind: 'Ingress', namespace: 'shop', name: 'c' },
        reason: 'PoliciesOverBound',
        severity: 'error',
        field: 'metadata.annotations',
        message:
          'namespace shop has more than 2 combinations of settings (controller.policyBounds.profiles), and older objects go first: these have no effect',
      },
    ]);
    const late = w.routes.peek('c.example.com prefix ')?.backend ?? '';
    expect(w.backends.peek(late)).toMatchObject({ profile: 'haptic-http' });
    expect(w.serverLines(late)).toHaveLength(1);
  });

  it('make room for the next when one goes, whatever its name', () => {
    const w = world(timeout('a', 1), timeout('b', 2), timeout('z', 3), timeout('c', 4));
    expect(w.problemLines()).toEqual([
      'Ingress shop/c PoliciesOverBound metadata.annotations',
      'Ingress shop/z PoliciesOverBound metadata.annotations',
    ]);
    w.remove(timeout('a', 1));
    expect(w.problemLines()).toEqual(['Ingress shop/c PoliciesOverBound metadata.annotations']);
  });

  it('count once for all who say the same, and are as old as the first of them', () => {
    const w = world(timeout('b', 2), timeout('c', 3), said('young', 9, { 'timeout-server': '2s' }));
    expect(w.problems()).toEqual([]);
    w.put(said('old', 1, { 'timeout-server': '3s' }), timeout('d', 4));
    expect(w.problemLines()).toEqual(['Ingress shop/d PoliciesOverBound metadata.annotations']);
  });

  it('are closed beyond that, where they restrict', () => {
    const w = world(
      timeout('a', 1),
      timeout('b', 2),
      said('c', 3, { 'allowlist-source-range': '10.0.0.0/8' }),
    );
    expect(w.problems()).toMatchObject([
      { message: expect.stringMatching(/older objects go first: its routes are closed$/) as string },
    ]);
    expect(w.serverLines(w.routes.peek('c.example.com prefix ')?.backend ?? '')).toEqual([]);
  });

  it('are nobody else’s concern', () => {
    const w = world(timeout('a', 1), timeout('b', 2), timeout('c', 3), timeout('d', 4, 'other'));
    expect(w.profiles.size).toBe(3);
    expect(w.problemLines()).toEqual(['Ingress shop/c PoliciesOverBound metadata.annotations']);
    // The same as one that is too much in the other namespace.
    w.put(said('e', 3, { 'timeout-server': '3s' }, 'other'));
    expect(w.profiles.size).toBe(4);
    const backendOf = (host: string) => w.backends.peek(w.routes.peek(`${host} prefix `)?.backend ?? '');
    expect(backendOf('c.example.com')?.profile).toBe('haptic-http');
    expect(backendOf('e.example.com')?.profile).toMatch(/^haptic-http-/);
  });

  it('count by depths of paths and by Services, whoever names these', () => {
    const deep = ingress({
      name: 'deep',
      annotations: prefixed({ 'rewrite-target': '/x' }),
      rules: [
        {
          host: 'deep.example.com',
          paths: ['/a', '/a/b', '/a/b/c', '/a/b/c/d'].map((path) => ({ path, service: 'web' })),
        },
      ],
    });
    const w = world(deep);
    expect(w.profiles.size).toBe(2);
    expect(w.problemLines()[0]).toBe('Ingress shop/deep PoliciesOverBound metadata.annotations');
  });

  it('cost what changes', () => {
    const w = world(
      timeout('a', 1),
      ...Array.from({ length: 50 }, (_, i) => said(`x${i}`, 5, { 'timeout-server': '1s' })),
    );
    const changes = w.changesOf(() => {
      w.put(said('new', 6, { 'timeout-server': '1s' }));
    });
    expect(changes['backends']).toBeUndefined();
    expect(changes['routes']).toEqual(['new.example.com prefix ']);
  });
});

describe('what canaries of a namespace go by', () => {
  const canary = (name: string, day: number, host: string, annotations: Readonly<Record<string, string>>) =>
    ingress({
      ...{ name, created: `2026-02-0${day}T00:00:00Z` },
      annotations: prefixed({ canary: 'true', ...annotations }),
      rules: [{ host, paths: [{ path: '/', service: 'web' }] }],
    });

  it('is so many headers and cookies; the youngest get no requests by more', () => {
    const main = (name: string) => said(name, 1, {});
    const w = world(
      main('a'),
      main('b'),
      canary('late', 2, 'b.example.com', { 'canary-by-cookie': 'beta' }),
      canary('early', 1, 'a.example.com', { 'canary-by-header': 'X-Beta' }),
    );
    expect(w.problems()).toMatchObject([
      {
        owner: { name: 'late' },
        reason: 'PoliciesOverBound',
        message:
          'namespace shop has canaries by more than 1 headers and cookies (controller.policyBounds.matches), and older objects go first: it gets no requests by them',
      },
    ]);
    const rules = w.matchRules.keys().map((key) => w.matchRules.peek(key)?.shapes);
    expect(rules).toEqual([[{ kind: 'header', name: 'x-beta' }]]);
    w.remove(canary('early', 1, 'a.example.com', {}));
    expect(w.problems()).toEqual([]);
  });
});
