import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import {
  endpointSlice,
  ingress,
  ingressClass,
  type IngressOptions,
  service,
} from '../../../fixtures/kube-objects.ts';
import { createIngressWorld } from '../ingress-world.ts';

const [older, newer] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const host = 'vault.example.com';
const passing = (more: IngressOptions = {}) =>
  ingress({
    name: 'vault',
    created: older,
    annotations: { 'haproxy-haptic.org/ssl-passthrough': 'true' },
    rules: [{ host, paths: ['/'] }],
    ...more,
  });
const stranger = (more: IngressOptions = {}) =>
  ingress({ name: 'stranger', namespace: 'evil', created: newer, rules: [{ host, paths: ['/'] }], ...more });
const start = (...objects: readonly KubeObject[]) =>
  createIngressWorld([
    ...[ingressClass(), service(), endpointSlice()],
    ...[service({ namespace: 'evil' }), ...objects],
  ]);

describe('a host whose connections are handed on', () => {
  it('has no route that looks into them but closed ones, so that no wildcard takes it', () => {
    const world = start(passing());
    expect(world.routeLines()).toEqual([`${host} prefix  → haptic-closed`]);
    expect(world.passthroughs.peek(host)).toMatchObject({ backend: 'shop_echo_80_tcp' });
    world.remove(passing());
    expect(world.routeLines()).toEqual([]);
  });

  it.each([
    [{ 'haproxy-haptic.org/allowlist-source-range': '10.0.0.0/8' }, {}],
    [{ 'haproxy-haptic.org/auth-secret': 'users' }, {}],
    [{ 'haproxy-haptic.org/auth-tls-secret': 'clients' }, {}],
    [{ 'haproxy-haptic.org/limit-rps': '5' }, {}],
    // Whose mistake may have been meant to keep somebody out.
    [{}, { 'haproxy-haptic.org/allowlist-source-range': '10.0.0.0/8' }],
  ])(
    'is closed where requests are to be kept out, which nobody sees: %j, of the Service %j',
    (said, ofService) => {
      const annotations = { 'haproxy-haptic.org/ssl-passthrough': 'true', ...said };
      const world = start(passing({ annotations }), service({ annotations: ofService }));
      expect(world.routeLines()).toEqual([`${host} prefix  → haptic-closed`]);
      expect(world.passthroughs.peek(host)).toBeUndefined();
      expect(world.problemLines()).toHaveLength(1);
    },
  );

  it('has routes of its own namespace, and of no other that came later', () => {
    const challenge = '/.well-known/acme-challenge';
    const world = start(
      passing(),
      stranger({ rules: [{ host, paths: ['/', `${challenge}/evil`] }] }),
      ingress({ name: 'solver', created: newer, rules: [{ host, paths: [`${challenge}/own`] }] }),
    );
    expect(world.routeLines()).toEqual([
      `${host} prefix  → haptic-closed`,
      `${host} prefix ${challenge}/own → shop_echo_80`,
    ]);
    expect(world.problemLines()).toEqual([
      'Ingress evil/stranger ConflictLost spec.rules[0].http.paths[0]',
      'Ingress evil/stranger ConflictLost spec.rules[0].http.paths[1]',
      'Ingress shop/solver ConflictLost spec.rules[0].http.paths[0]',
    ]);
    world.remove(passing());
    expect(world.routeLines()).toHaveLength(3);
  });

  it.each<[string, IngressOptions, string]>([
    [
      'there is nothing to hand on to',
      { rules: [{ host, paths: [{ path: '/', service: 'echo', port: 0 }] }] },
      'prefix ',
    ],
    ['no path is /', { rules: [{ host, paths: ['/x'] }] }, 'prefix /x'],
    [
      'it is another name of the host',
      {
        annotations: {
          'haproxy-haptic.org/ssl-passthrough': 'true',
          'haproxy-haptic.org/server-alias': host,
        },
        rules: [{ host: 'a.example.com', paths: ['/'] }],
      },
      'prefix ',
    ],
  ])('is closed where it cannot be: %s', (_why, more, route) => {
    expect(start(passing(more)).routeLines()).toContain(`${host} ${route} → haptic-closed`);
  });

  it('is served by an older object that looks into it', () => {
    const world = start(stranger({ created: older }), passing({ created: newer }));
    expect(world.routeLines()).toEqual([`${host} prefix  → evil_echo_80`]);
    expect(world.passthroughs.keys()).toEqual([]);
  });
});

it('connections for every host cannot be handed on, and nothing is closed by that', () => {
  expect(start(passing({ rules: [{ paths: ['/'] }] })).routeLines()).toEqual([]);
});
