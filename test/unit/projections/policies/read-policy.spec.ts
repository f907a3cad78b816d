import { describe, expect, it } from 'vitest';
import { namesElsewhere } from '../../../../src/projections/policies/names-elsewhere.ts';
import { policyIndex } from '../../../../src/projections/policies/policy-index.ts';
import { readPolicy, type PolicyScope } from '../../../../src/projections/policies/read-policy.ts';
import { collectFaults } from '../collect-faults.ts';
import { ingress } from '../../../fixtures/kube-objects.ts';

const everything: PolicyScope = { scopes: ['route', 'backend'], snippets: false };

function read(annotations: Readonly<Record<string, string>>, scope = everything) {
  const { faults, report } = collectFaults();
  const policy = readPolicy(ingress({ annotations }), scope, report);
  return { policy, faults };
}

describe('readPolicy', () => {
  it('takes the Secrets of the object’s own namespace, with it or without', () => {
    const said = (name: string) => read({ 'haproxy-haptic.org/auth-secret': name });
    expect(said('shop/users')).toEqual({
      policy: { fields: { authSecret: 'users' }, closed: false },
      faults: [],
    });
    expect(said('other/users').policy).toMatchObject({ closed: true });
  });

  it('tells who brings captures along what they are for', () => {
    const { policy, faults } = read({ 'haproxy-haptic.org/rewrite-target': '/$2' });
    expect(policy?.fields).toEqual({});
    expect(faults).toMatchObject([
      {
        reason: 'InvalidAnnotation',
        message: 'has no captures, for which path-rewrite is: must be a path, not "/$2": it has no effect',
      },
    ]);
    expect(read({ 'haproxy-haptic.org/rewrite-target': '/$metadata' }).faults).toEqual([]);
  });

  it('knows the names of other controllers for what is there, and only those', () => {
    for (const [theirs, ours] of namesElsewhere) {
      expect([theirs, policyIndex.byKey.has(ours)]).toEqual([theirs, true]);
      expect([theirs, policyIndex.byKey.has(theirs)]).toEqual([theirs, false]);
    }
  });

  it('gives nothing for an object that says nothing of it', () => {
    expect(read({ 'example.com/x': 'y', 'kubernetes.io/ingress.class': 'haptic' })).toEqual({
      policy: undefined,
      faults: [],
    });
  });

  it('reads what is said', () => {
    expect(
      read({ 'haproxy-haptic.org/timeout-server': '90', 'haproxy-haptic.org/cors-enable': 'True' }),
    ).toEqual({ policy: { fields: { timeoutServer: '90s', corsEnable: true }, closed: false }, faults: [] });
  });

  it('names what it does not know, and what may have been meant', () => {
    const { policy, faults } = read({ 'haproxy-haptic.org/timeout-sever': '90s' });
    expect(policy).toBeUndefined();
    expect(faults).toEqual([
      {
        reason: 'AnnotationUnknown',
        field: 'metadata.annotations["haproxy-haptic.org/timeout-sever"]',
        message: 'is not known (did you mean haproxy-haptic.org/timeout-server?): it has no effect',
        severity: 'warning',
      },
    ]);
  });

  it('does not go into each of very many that it does not know, one of which may restrict', () => {
    const unknown = Array.from(
      { length: 5_000 },
      (_, i) => [`haproxy-haptic.org/proxy-body-s${i}`, ''] as const,
    );
    const { policy, faults } = read(Object.fromEntries(unknown));
    expect(policy).toEqual({ fields: {}, closed: true });
    expect(faults).toHaveLength(33);
    expect(faults.at(-1)).toEqual({
      reason: 'AnnotationUnknown',
      field: 'metadata.annotations',
      message: 'have 5000 that are not known: its routes are closed until it is mended',
    });
    expect(read(Object.fromEntries(unknown.slice(0, 32)))).toMatchObject({ faults: { length: 32 } });
  });

  it('knows what other controllers call it, and closes where that restricts', () => {
    const { policy, faults } = read({ 'haproxy-haptic.org/whitelist-source-range': '10.0.0.0/8' });
    expect(policy).toEqual({ fields: {}, closed: true });
    expect(faults).toMatchObject([
      {
        reason: 'AnnotationUnknown',
        message:
          'is not known (did you mean haproxy-haptic.org/allowlist-source-range?): its routes are closed until it is mended',
        severity: 'error',
      },
    ]);
    expect(read({ 'haproxy-haptic.org/enable-cors': 'true' })).toMatchObject({
      policy: undefined,
      faults: [{ severity: 'warning' }],
    });
  });

  it('has no name of another controller that leads nowhere, or that is one of ours', () => {
    const keys = [...policyIndex.byKey.keys()];
    expect(keys).toEqual(expect.arrayContaining([...new Set(namesElsewhere.values())]));
    expect(keys.filter((key) => namesElsewhere.has(key))).toEqual([]);
  });

  it('closes what is to verify the name of servers, and says against whom nowhere', () => {
    const { policy, faults } = read({ 'haproxy-haptic.org/secure-verify-hostname': 'inner.example' });
    expect(policy).toMatchObject({ closed: true });
    expect(faults).toMatchObject([
      {
        message: expect.stringContaining(
          'needs haproxy-haptic.org/secure-verify-ca-secret beside it',
        ) as unknown,
      },
    ]);
  });

  it('leaves out what is malformed, and keeps the rest', () => {
    const { policy, faults } = read({
      'haproxy-haptic.org/timeout-server': 'soon',
      'haproxy-haptic.org/timeout-tunnel': '5s',
    });
    expect(policy).toEqual({ fields: { timeoutTunnel: '5s' }, closed: false });
    expect(faults).toMatchObject([
      {
        reason: 'InvalidAnnotation',
        field: 'metadata.annotations["haproxy-haptic.org/timeout-server"]',
        message: 'must be a time such as "30s" or "500ms", not "soon": it has no effect',
      },
    ]);
  });

  it('says what has no effect without a switch, once it is not there', () => {
    const { policy, faults } = read({ 'haproxy-haptic.org/cors-max-age': '5' });
    expect(policy).toEqual({ fields: {}, closed: false });
    expect(faults).toMatchObject([
      {
        reason: 'AnnotationWithoutEffect',
        message: 'needs haproxy-haptic.org/cors-enable: "true" beside it: it has no effect',
        severity: 'warning',
      },
    ]);
    const off = read({ 'haproxy-haptic.org/cors-max-age': '5', 'haproxy-haptic.org/cors-enable': 'false' });
    expect(off).toEqual({ policy: { fields: {}, closed: false }, faults: [] });
  });

  it('checks values against each other', () => {
    const { policy, faults } = read({
      'haproxy-haptic.org/cors-enable': 'true',
      'haproxy-haptic.org/cors-allow-origin': '*',
      'haproxy-haptic.org/cors-allow-credentials': 'true',
    });
    expect(policy?.fields).toEqual({ corsEnable: true, corsAllowOrigin: ['*'] });
    expect(faults).toMatchObject([
      { message: 'needs cors-allow-origin to name the origins: it has no effect' },
    ]);
  });

  it('tells who says something where it does not belong', () => {
    const service: PolicyScope = { scopes: ['backend'], snippets: false };
    const { policy, faults } = read(
      { 'haproxy-haptic.org/cors-enable': 'true', 'haproxy-haptic.org/timeout-connect': '1s' },
      service,
    );
    expect(policy?.fields).toEqual({ timeoutConnect: '1s' });
    expect(faults).toMatchObject([{ reason: 'AnnotationMisplaced' }]);
  });

  it.each([
    ['haproxy-haptic.org/allowlist-source-range', 'nonsense'],
    ['haproxy-haptic.org/allowlist-source-rnage', '10.0.0.0/8'],
    // Says what passwords and certificates are for, and not whose.
    ['haproxy-haptic.org/auth-realm', 'Staff'],
    ['haproxy-haptic.org/auth-tls-cert-header', 'true'],
    ['haproxy-haptic.org/auth-tls-error-page', 'https://example.com/'],
    // Would go in the clear.
    ['haproxy-haptic.org/secure-backends', 'yes'],
    ['haproxy-haptic.org/backend-protocol', 'TLS'],
    ['haproxy-haptic.org/ssl-redirect', 'on'],
    // Clients' own would be believed.
    ['haproxy-haptic.org/headers', 'X-Tenant blue'],
    ['haproxy-haptic.org/request-del-header', 'X-User, Host'],
    ['haproxy-haptic.org/Allowlist-Source-Range', '10.0.0.0/8'],
  ])('closes what %s: %s was to keep requests out of', (annotation, text) => {
    const { policy, faults } = read({ [annotation]: text });
    expect(policy).toMatchObject({ closed: true });
    expect(faults).toMatchObject([
      { message: expect.stringMatching(/its routes are closed until it is mended$/) as string },
    ]);
  });

  it('closes what says on a Service whom to let in', () => {
    const service: PolicyScope = { scopes: ['backend'], snippets: false };
    expect(read({ 'haproxy-haptic.org/allowlist-source-range': '10.0.0.0/8' }, service).policy).toMatchObject(
      {
        closed: true,
      },
    );
  });

  it('grants nothing where what narrows it cannot be understood (JM#1395)', () => {
    const { policy, faults } = read({
      'haproxy-haptic.org/cors-enable': 'true',
      'haproxy-haptic.org/cors-allow-origin': 'capacitor:localhost',
    });
    expect(policy).toEqual({ fields: {}, closed: false });
    expect(faults).toMatchObject([
      { message: expect.stringMatching(/: nothing is granted until it is mended$/) as string },
    ]);
    expect(
      read({
        'haproxy-haptic.org/cors-enable': 'true',
        'haproxy-haptic.org/cors-allow-origin': 'capacitor://localhost',
      }),
    ).toMatchObject({ policy: { fields: { corsAllowOrigin: ['capacitor://localhost'] } }, faults: [] });
  });
});
