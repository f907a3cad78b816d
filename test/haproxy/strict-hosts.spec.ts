import { describe, expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, type PathOptions } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('own', 'wild', 'any', 'rest'));

describeEachLine('a host that a rule names', (line) => {
  const objects = () => {
    const rule = (name: string, host: string | undefined, ...paths: readonly PathOptions[]) =>
      ingress({ name, rules: [{ ...(host !== undefined && { host }), paths }] });
    return [
      ...pool.objects,
      rule('own', 'shop.example.com', { path: '/app', service: 'own' }),
      rule('below', '*.example.com', { path: '/', service: 'wild' }),
      rule('shallow', '*.example.org', { path: '/app', service: 'wild' }),
      rule('every', undefined, { path: '/any', service: 'any' }),
      ingress({ name: 'rest', defaultBackend: { service: { name: 'rest', port: { number: 80 } } } }),
    ];
  };
  // Host, path, where it goes if hosts are strict and if they are not.
  const cases = [
    ['shop.example.com', '/app/x', 'own', 'own'],
    ['SHOP.example.com.:80', '/app/x', 'own', 'own'],
    ['shop.example.com', '/', '404', 'wild'],
    ['shop.example.com', '/any', '404', 'wild'],
    ['SHOP.example.com.:80', '/%61ny', '404', 'wild'],
    ['shop.example.com', '/app%2F..', '400', '400'],
    ['other.example.com', '/any', 'wild', 'wild'],
    ['a.example.org', '/app', 'wild', 'wild'],
    ['a.example.org', '/any', '404', 'any'],
    ['a.example.org', '/', '404', 'rest'],
    ['elsewhere.test', '/any', 'any', 'any'],
    ['elsewhere.test', '/', 'rest', 'rest'],
    ['*', '/any', 'any', 'any'],
    [null, '/any', 'any', 'any'],
    [null, '/', 'rest', 'rest'],
  ] as const;

  describe.each([true, false])('with strictHosts %s', (strictHosts) => {
    const world = setUp(() => startIngressTraffic(line, objects(), { extraContext: { strictHosts } }));

    it.each(cases)('%s%s', async (host, target, strict, loose) => {
      const version = host === null ? '1.0' : '1.1';
      expect(await world.outcome({ host, target, version })).toBe(strictHosts ? strict : loose);
    });
  });
});
