import { beforeAll, describe, expect, it } from 'vitest';
import { type IssuedCertificate, issueCertificate } from '../../../fixtures/certificates.ts';
import { ingress, type IngressOptions, secret } from '../../../fixtures/kube-objects.ts';
import { createTlsWorld, type TlsWorld } from './tls-world.ts';

let issued: IssuedCertificate;
let world: TlsWorld;
beforeAll(async () => {
  issued = await issueCertificate({ names: ['a.example.com'] });
});

const [older, newer] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const pair = (name: string, namespace: string) =>
  secret({ name, namespace, data: { 'tls.crt': issued.cert, 'tls.key': issued.key } });
const said = (settings: Readonly<Record<string, string>>) => ({
  annotations: Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`haproxy-haptic.org/${key}`, value]),
  ),
});
const host = 'c.w.example.com';
const routed = (more: IngressOptions = {}) =>
  ingress({ name: 'main', created: older, rules: [{ host, paths: ['/'] }], ...more });
const wild = (more: IngressOptions = {}) =>
  ingress({
    name: 'wild',
    namespace: 'evil',
    created: newer,
    ...said({ 'ssl-min-version': 'TLSv1.3', hsts: 'true' }),
    tls: [{ hosts: ['*.w.example.com'], secretName: 'one' }],
    rules: [{ host: '*.w.example.com', paths: ['/'] }],
    ...more,
  });
const evilEntry = expect.stringMatching(/^evil_one_v\w+\.pem \*\.w\.example\.com$/) as string;

function start(...namespaces: readonly string[]) {
  world = createTlsWorld({ defaults: [{ namespace: 'own', name: 'd' }] });
  world.put(pair('d', 'own'), ...namespaces.map((namespace) => pair('one', namespace)));
}

describe('a wildcard above a host of another namespace', () => {
  it('that comes later changes nothing for a host that nobody gives a certificate', () => {
    start('evil');
    world.put(routed());
    expect(world.lines()).toEqual([]);
    world.put(wild());
    expect(world.lines()).toEqual([evilEntry, `own_d.pem ${host}`]);
    expect(world.certificates.peek('own_d.pem')).not.toHaveProperty('options');
    expect(world.tlsHosts.peek(host)).toMatchObject({ sslRedirect: false, hsts: false });
    world.remove(wild());
    expect(world.lines()).toEqual([]);
    expect(world.tlsHosts.keys()).toEqual([]);
  });

  it('that has the default certificate, and says something of it, is not for it either', () => {
    start();
    world.put(routed(), wild({ tls: [] }));
    expect(world.lines()).toEqual([
      `own_d.pem ${host}`,
      expect.stringMatching(/^own_d_v\w+\.pem \*\.w\.example\.com$/),
    ]);
  });

  it('is not for a host that something is said of, or whose own certificate cannot be served', () => {
    start('evil');
    world.put(routed(said({ hsts: 'true' })), wild());
    expect(world.lines()).toEqual([evilEntry, `own_d.pem ${host}`]);
    expect(world.tlsHosts.peek(host)).toMatchObject({ hsts: true });
    world.put(routed({ tls: [{ hosts: [host], secretName: 'missing' }] }));
    expect(world.lines()).toEqual([evilEntry, `own_d.pem ${host}`]);
  });

  it('does not decide what is said of hosts that its own object routes after their owner', () => {
    start('evil');
    world.put(
      routed(),
      wild({ rules: [{ host, paths: ['/evil'] }] }),
      routed({ name: 'tls', namespace: 'third', rules: [{ host: 'd.w.example.com', paths: ['/'] }] }),
    );
    expect(world.lines()).toEqual([evilEntry, `own_d.pem ${host} d.w.example.com`]);
    expect(world.tlsHosts.peek(host)).toMatchObject({ sslRedirect: false, hsts: false });
  });

  it('is for a host that came after it, and for those of its own namespace', () => {
    start('evil', 'shop');
    world.put(routed({ created: newer }), wild({ created: older }));
    expect(world.lines()).toEqual([evilEntry]);
    world.put(routed(), wild({ namespace: 'shop' }));
    world.remove(wild());
    expect(world.lines()).toEqual([expect.stringMatching(/^shop_one_v\w+\.pem \*\.w\.example\.com$/)]);
    expect(world.tlsHosts.keys()).toEqual(['*.w.example.com']);
  });

  it('leaves hosts alone that have a certificate, are not routed, or are further below', () => {
    start('evil', 'shop');
    world.put(
      wild(),
      routed({ tls: [{ hosts: [host, 'x.w.example.com'], secretName: 'one' }] }),
      routed({ name: 'deep', rules: [{ host: 'a.b.w.example.com', paths: ['/'] }] }),
    );
    expect(world.lines()).toEqual([evilEntry, `shop_one.pem ${host} x.w.example.com`]);
  });
});

it('a host that asks for the default certificate has it below a wildcard of its own namespace, too', () => {
  start('shop');
  world.put(
    wild({ namespace: 'shop', created: older }),
    routed({ created: newer, tls: [{ hosts: [host] }] }),
  );
  expect(world.lines()).toEqual([`own_d.pem ${host}`, expect.stringMatching(/^shop_one_v/)]);
});

it('without a default certificate there is none to give', () => {
  world = createTlsWorld();
  world.put(pair('one', 'evil'), routed(), wild());
  expect(world.lines()).toEqual([evilEntry]);
});
