import https, { type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());

const host = 'c.w.example.com';
const old = { maxVersion: 'TLSv1.2' } as const;

describeEachLine('a wildcard of another namespace that comes later', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...[certificates.secretOf('fallback'), secretOf('evil'), secretOf('shop')],
        ingress({ name: 'main', created: '2026-01-01T00:00:00Z', rules: [rootRule(host)] }),
        // So that there are entries to begin with.
        ingress({
          name: 'other',
          tls: [{ hosts: ['other.example.com'], secretName: 'wild' }],
          rules: [rootRule('other.example.com')],
        }),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    ),
  );
  const shown = (name: string, options = {}) => certificates.shownBy(world, name, options);
  const status = async (more: RequestOptions = {}) => {
    const request = https.request({
      ...{ ...world.https, servername: host, headers: { host }, rejectUnauthorized: false, agent: false },
      ...more,
    });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const secretOf = (namespace: string) => {
    const made = certificates.secretOf('wild');
    return { ...made, metadata: { ...made.metadata, namespace } };
  };
  const wildcard = (namespace: string) =>
    ingress({
      name: 'wild',
      namespace,
      created: '2026-01-02T00:00:00Z',
      annotations: { 'haproxy-haptic.org/ssl-min-version': 'TLSv1.3' },
      tls: [{ hosts: ['*.w.example.com'], secretName: 'wild' }],
    });

  it('leaves the certificate and the versions of a host alone that is served already, and takes no reload', async () => {
    expect(await shown(host, old)).toBe('fallback');
    const before = world.started;
    world.put(wildcard('evil'));
    expect(await world.changeFrom(before)).toContain('crtlist_add');
    expect(await shown(host)).toBe('fallback');
    expect(await shown(host, old)).toBe('fallback');
    expect(await status(old)).toBe(200);
    expect(await shown('d.w.example.com')).toBe('wild');
    expect(await shown('d.w.example.com', old)).not.toBe('wild');
    const without = world.bundle();
    world.remove(wildcard('evil'));
    await world.changeFrom(without);
    expect(await shown('d.w.example.com', old)).toBe('fallback');
    expect(await shown(host, old)).toBe('fallback');
  });

  it('does so after a reload, too', async () => {
    world.put(wildcard('evil'));
    await world.deploy();
    expect(await shown(host, old)).toBe('fallback');
    expect(await shown('d.w.example.com')).toBe('wild');
    world.remove(wildcard('evil'));
  });

  it('is another matter in the namespace of the host', async () => {
    world.put(wildcard('shop'));
    await world.deploy();
    expect(await shown(host)).toBe('wild');
    expect(await shown(host, old)).not.toBe('fallback');
  });
});
