import { beforeAll, describe, expect, it } from 'vitest';
import { type IssuedCertificate, issueCertificate } from '../../../fixtures/certificates.ts';
import { ingress, type IngressOptions, secret } from '../../../fixtures/kube-objects.ts';
import { createTlsWorld, type TlsWorld } from './tls-world.ts';

let first: IssuedCertificate;
let authority: IssuedCertificate;
let world: TlsWorld;
beforeAll(async () => {
  first = await issueCertificate({ names: ['a.example.com'] });
  authority = await issueCertificate({ names: ['ca'], isAuthority: true });
});

const [older, newer] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const pair = (name: string, namespace = 'shop') =>
  secret({ name, namespace, data: { 'tls.crt': first.cert, 'tls.key': first.key } });
const ca = (name: string, namespace = 'shop') =>
  secret({ name, namespace, type: 'Opaque', data: { 'ca.crt': authority.cert } });
function object(name: string, said: Readonly<Record<string, string>>, options: IngressOptions = {}) {
  const annotations = Object.fromEntries(
    Object.entries(said).map(([key, value]) => [`haproxy-haptic.org/${key}`, value]),
  );
  return ingress({ name, annotations, ...options });
}
const served = (host: string, secretName = 'one'): IngressOptions => ({
  rules: [{ host, paths: ['/'] }],
  tls: [{ hosts: [host], secretName }],
});
const options = () =>
  Object.fromEntries(
    world.certificates.keys().flatMap((file) => {
      const { hosts = [], options: own } = world.certificates.peek(file) ?? {};
      return hosts.map((host) => [host, own]);
    }),
  );
const asked = () =>
  Object.fromEntries(
    world.clientAuthorities.keys().map((key) => [key, world.clientAuthorities.peek(key)?.authority]),
  );
const clients = { clients: { ca: 'shop_ca_ca.pem' } };

describe('what is said of hosts in the handshake', () => {
  it('makes entries of their own of hosts that share a certificate', () => {
    world = createTlsWorld();
    world.put(
      pair('one'),
      ca('ca'),
      object('plain', {}, served('a.example.com')),
      object('min', { 'ssl-min-version': 'TLSv1.3', 'ssl-ciphers': 'HIGH, !aNULL' }, served('b.example.com')),
      object('asks', { 'auth-tls-secret': 'ca' }, served('c.example.com')),
      object('off', { 'auth-tls-secret': 'ca', 'auth-tls-verify-client': 'off' }, served('d.example.com')),
    );
    expect(options()).toEqual({
      'a.example.com': undefined,
      'b.example.com': { minVersion: 'TLSv1.3', ciphers: 'HIGH:!aNULL' },
      'c.example.com': clients,
      'd.example.com': undefined,
    });
    expect(world.certificates.size).toBe(3);
    expect(asked()).toEqual({ 'c.example.com': 'shop_ca' });
    expect(world.problemLines()).toEqual([]);
  });

  it('is said by the namespace that the certificate is of, by whichever of its objects, and by nobody else', () => {
    world = createTlsWorld();
    world.put(
      ...[pair('one'), ca('ca'), ca('ca', 'mallory'), pair('one', 'mallory')],
      object('whole', {}, { created: older, ...served('a.example.com') }),
      object(
        'path',
        { 'auth-tls-secret': 'ca', hsts: 'true' },
        { created: newer, rules: [{ host: 'a.example.com', paths: ['/x'] }] },
      ),
      object(
        'other',
        { 'auth-tls-secret': 'ca', 'ssl-min-version': 'TLSv1.3', hsts: 'false' },
        { namespace: 'mallory', created: newer, ...served('a.example.com') },
      ),
    );
    expect(options()).toEqual({ 'a.example.com': clients });
    expect(asked()).toEqual({ 'a.example.com': 'shop_ca' });
    expect(world.tlsHosts.peek('a.example.com')).toMatchObject({ hsts: true });
    expect(world.problemLines()).toEqual([
      'Ingress mallory/other ConflictLost metadata.annotations["haproxy-haptic.org/auth-tls-secret"]',
      'Ingress mallory/other ConflictLost spec.rules[0].http.paths[0]',
      'Ingress mallory/other ConflictLost spec.tls[0].hosts[0]',
    ]);
  });

  it.each<[string, IngressOptions]>([
    ['a setting', { rules: [{ host: 'a.example.com', paths: ['/evil'] }] }],
    ['a certificate', served('a.example.com')],
    ['a certificate that is for it', { rules: [{ paths: ['/'] }], tls: [{ secretName: 'one' }] }],
  ])(
    'is said of a host that another namespace routes by nobody else, if the owner says nothing: %s',
    (_what, evil) => {
      world = createTlsWorld({ defaults: [{ namespace: 'own', name: 'd' }] });
      world.put(
        ...[pair('d', 'own'), pair('one', 'evil'), ca('ca', 'evil')],
        object('main', {}, { created: older, rules: [{ host: 'a.example.com', paths: ['/'] }] }),
        object(
          'evil',
          { 'auth-tls-secret': 'ca', 'ssl-min-version': 'TLSv1.3' },
          { namespace: 'evil', created: newer, ...evil },
        ),
      );
      expect(options()).toEqual({});
      expect(asked()).toEqual({});
      expect(world.tlsHosts.keys()).toEqual([]);
      world.remove(object('main', {}));
      expect(Object.keys(options())).toEqual(['a.example.com']);
    },
  );

  it('of several objects of that namespace the oldest one counts, setting by setting', () => {
    world = createTlsWorld();
    world.put(
      ...[pair('one'), ca('ca'), ca('second')],
      object('b', { 'auth-tls-secret': 'ca' }, { created: older, ...served('a.example.com') }),
      object(
        'a',
        { 'auth-tls-secret': 'second', 'ssl-min-version': 'TLSv1.3' },
        { created: newer, rules: [{ host: 'a.example.com' }] },
      ),
    );
    expect(options()).toEqual({ 'a.example.com': { ...clients, minVersion: 'TLSv1.3' } });
    expect(asked()).toEqual({ 'a.example.com': 'shop_ca' });
  });

  it('of a host that nobody gives a certificate goes with that of the wildcard above it, else with the default one', () => {
    world = createTlsWorld({ defaults: [{ namespace: 'own', name: 'd' }] });
    const bare = (host: string) =>
      object(host, { 'auth-tls-secret': 'ca' }, { rules: [{ host, paths: ['/'] }] });
    world.put(
      ...[pair('one'), pair('d', 'own'), ca('ca')],
      object('wild', {}, served('*.example.com')),
      bare('a.example.com'),
      bare('a.example.org'),
    );
    const files = world.lines().filter((line) => /_v[0-9a-f]{16}\.pem /.test(line));
    expect(files.map((line) => line.replace(/_v[0-9a-f]{16}/, ''))).toEqual([
      'own_d.pem a.example.org',
      'shop_one.pem a.example.com',
    ]);
    // It has no certificate of its own, so nothing that is said of hosts with one is said of it.
    expect(world.tlsHosts.peek('a.example.org')).toMatchObject({ sslRedirect: false, hsts: false });
    expect(world.tlsHosts.peek('a.example.com')).not.toHaveProperty('sslRedirect');
  });

  it('below a wildcard that asks for certificates is what an entry of its own says', () => {
    world = createTlsWorld();
    world.put(
      ...[pair('one'), ca('ca')],
      object('wild', { 'auth-tls-secret': 'ca' }, served('*.example.com')),
      object('open', {}, served('open.example.com')),
      object('elsewhere', {}, served('a.example.org')),
    );
    expect(asked()).toEqual({ '*.example.com': 'shop_ca', 'open.example.com': 'none' });
  });

  it.each<[string, Readonly<Record<string, string>> | undefined]>([
    ['missing', undefined],
    ['empty', {}],
    ['malformed', { 'ca.crt': 'x' }],
    ['with a malformed list', { 'ca.crt': 'good', 'ca.crl': 'x' }],
  ])(
    'asks for no certificate while the Secret of authorities is %s, whatever it was before',
    (_how, data) => {
      world = createTlsWorld();
      world.put(pair('one'), ca('ca'), object('asks', { 'auth-tls-secret': 'ca' }, served('a.example.com')));
      expect(asked()).toEqual({ 'a.example.com': 'shop_ca' });
      if (data === undefined) world.remove(ca('ca'));
      else {
        const real = data['ca.crt'] === 'good' ? { ...data, 'ca.crt': authority.cert } : data;
        world.put(secret({ name: 'ca', data: real }));
      }
      expect(asked()).toEqual({});
      expect(options()).toEqual({ 'a.example.com': undefined });
      expect(world.problemLines()).toEqual([
        'Ingress shop/asks AuthoritiesInvalid metadata.annotations["haproxy-haptic.org/auth-tls-secret"]',
      ]);
      world.put(ca('ca'));
      expect(asked()).toEqual({ 'a.example.com': 'shop_ca' });
      expect(world.problemLines()).toEqual([]);
    },
  );

  it('is as it was when authorities are renewed', async () => {
    world = createTlsWorld();
    world.put(pair('one'), ca('ca'), object('asks', { 'auth-tls-secret': 'ca' }, served('a.example.com')));
    const next = await issueCertificate({ names: ['next'], isAuthority: true });
    const changes = world.changesOf(() => world.put(secret({ name: 'ca', data: { 'ca.crt': next.cert } })));
    expect(changes).toEqual({});
  });
});
