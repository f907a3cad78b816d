import { describe, expect, it } from 'vitest';
import { policyIndex } from '../../../../src/projections/policies/policy-index.ts';
import { readPolicy, type PolicyScope } from '../../../../src/projections/policies/read-policy.ts';
import { collectFaults } from '../collect-faults.ts';
import { createIngressWorld } from '../ingress-world.ts';
import { annotationRows } from '../../../fixtures/annotation-rows.ts';
import { prefixed } from '../../../fixtures/prefixed.ts';
import { ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';

type Annotations = Readonly<Record<string, string>>;
const everywhere: PolicyScope = { scopes: ['route', 'backend', 'host'], snippets: true };

/** Without the prefix. */
function read(annotations: Annotations, scope: PolicyScope = everywhere) {
  const { faults, report } = collectFaults();
  const policy = readPolicy(ingress({ annotations: prefixed(annotations) }), scope, report);
  return { policy, faults };
}

describe('what annotations need', () => {
  const dependent = policyIndex.rows.filter(({ needs }) => needs.length > 0);

  it('names settings of the table', () => {
    for (const { needs } of policyIndex.rows)
      for (const { anyOf } of needs)
        for (const name of anyOf) expect(policyIndex.byField.has(name), name).toBe(true);
  });

  it.each(dependent.map(({ field, name }) => [field.key, name, field] as const))(
    '%s: alone, it says what it needs, and closes where it restricts',
    (key, name, field) => {
      const { policy, faults } = read({ [key]: field.example });
      expect(policy?.fields).not.toHaveProperty(name);
      expect(policy?.closed).toBe(field.restricting === true);
      expect(faults).toEqual([
        {
          reason: 'AnnotationWithoutEffect',
          field: `metadata.annotations["haproxy-haptic.org/${key}"]`,
          message: expect.stringMatching(/^needs haproxy-haptic\.org\/[a-z-]+.* beside it/) as string,
          severity: field.restricting === true ? 'error' : 'warning',
        },
      ]);
    },
  );

  it.each(annotationRows.map((row) => [row.key, row] as const))(
    '%s: has an effect beside what it needs',
    (key, { example, companions }) => {
      const { policy, faults } = read({ ...companions, [key]: example });
      expect(faults).toEqual([]);
      expect(policy?.fields).toHaveProperty(policyIndex.byKey.get(key)!.name);
    },
  );

  it.each<[string, Annotations]>([
    ['a switch', { 'use-gzip': 'false', 'gzip-types': 'text/html' }],
    ['another value', { affinity: 'none', 'session-cookie-name': 'SERVER' }],
    ['what is nested', { canary: 'false', 'canary-by-header': 'X', 'canary-by-header-value': 'b' }],
    ['who shows certificates', { 'auth-tls-verify-client': 'off', 'auth-tls-cert-header': 'false' }],
    ['redirects', { 'ssl-redirect': 'false', 'ssl-redirect-code': '301' }],
  ])('says nothing of what is turned off: %s', (_what, annotations) => {
    expect(read(annotations)).toMatchObject({ policy: { closed: false }, faults: [] });
  });

  it('says nothing besides of what needs something malformed', () => {
    const { faults } = read({ 'auth-secret': 'No Name', 'auth-realm': 'Staff' });
    expect(faults).toMatchObject([{ reason: 'InvalidAnnotation' }]);
  });

  it('says of what is nested what is missing first', () => {
    const { faults } = read({ 'canary-by-header': 'X-Beta', 'canary-by-header-value': 'yes' });
    expect(faults).toMatchObject([
      { message: 'needs haproxy-haptic.org/canary: "true" beside it: it has no effect' },
      { message: 'needs haproxy-haptic.org/canary: "true" beside it: it has no effect' },
    ]);
  });

  it.each<[string, Annotations]>([
    ['limit-by', { 'limit-rps': '1' }],
    ['limit-by', { 'limit-requests': '1' }],
    ['limit-by', { 'limit-connections': '1' }],
  ])('%s: is content with any of its ways: %j', (key, way) => {
    expect(read({ ...way, [key]: 'path' }).faults).toEqual([]);
  });

  it('names each way that would do', () => {
    expect(read({ 'limit-by': 'path' }).faults).toMatchObject([
      {
        message:
          'needs haproxy-haptic.org/limit-rps or haproxy-haptic.org/limit-requests or haproxy-haptic.org/limit-connections beside it: its routes are closed until it is mended',
      },
    ]);
  });

  it('counts what the configuration says for all', () => {
    const said = { 'hsts-max-age': '300', 'ssl-redirect-code': '301' };
    const defaults = { hsts: true, sslRedirect: true };
    expect(read(said, { ...everywhere, defaults })).toMatchObject({
      policy: { fields: { hstsMaxAge: 300, sslRedirectCode: 301 } },
      faults: [],
    });
    expect(read({ ...said, hsts: 'false' }, { ...everywhere, defaults })).toMatchObject({
      policy: { fields: { hsts: false, sslRedirectCode: 301 } },
      faults: [],
    });
  });

  it('takes it for idle, not for a mistake, where two do not go together', () => {
    const { policy, faults } = read({
      ...{ affinity: 'cookie', 'session-cookie-strategy': 'prefix', 'session-cookie-max-idle': '5m' },
      ...{ 'retry-on': 'conn-failure', 'retry-non-idempotent': 'true' },
    });
    expect(policy).toMatchObject({ closed: false });
    expect(faults).toMatchObject([
      { reason: 'AnnotationWithoutEffect', severity: 'warning' },
      { reason: 'AnnotationWithoutEffect', severity: 'warning' },
    ]);
  });

  it('lets an Ingress build on what its Services say, as long as they do', () => {
    const shop = (annotations: Annotations) => service({ name: 'shop', annotations: prefixed(annotations) });
    const world = createIngressWorld([
      ingressClass(),
      shop({ 'maxconn-server': '10' }),
      ingress({
        name: 'shop',
        annotations: prefixed({ 'timeout-queue': '3s' }),
        rules: [{ host: 'shop.example.com', paths: [{ path: '/', service: 'shop' }] }],
      }),
    ]);
    const shapes = () => world.profiles.keys().map((name) => world.profiles.peek(name)?.shape);
    expect(world.problemLines()).toEqual([]);
    expect(shapes()).toEqual([{ timeouts: true, timeoutQueue: '3s' }]);
    world.put(shop({}));
    expect(world.problemLines()).toEqual([
      'Ingress shop/shop AnnotationWithoutEffect metadata.annotations["haproxy-haptic.org/timeout-queue"]',
    ]);
    expect(shapes()).toEqual([]);
  });
});
