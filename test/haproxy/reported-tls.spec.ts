import { once } from 'node:events';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { type IssuedCertificate, issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bundleFiles, createIngressRenderer } from '../fixtures/ingress-renderer.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, ingressClass, secret, service } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());
const authority = setUp(() => issueCertificate({ names: ['ca'], isAuthority: true }));
const client = setUp(() => issueCertificate({ names: ['client'], issuer: authority }));

const said = (key: string, value: string) => ({ [`haproxy-haptic.org/${key}`]: value });
const withTls = (name: string, host: string, secretName: string, annotations = {}) =>
  ingress({ name, rules: [rootRule(host)], tls: [{ hosts: [host], secretName }], annotations });
const options = {
  defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
  extraContext: { tls: { passthrough: true } },
};

describeEachLine('what others have got wrong about TLS', (line) => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['HT#1: random bytes', { 'tls.crt': '\u0001\u0002random', 'tls.key': '\u0003bytes' }],
    ['HT#2: a certificate and a key that are empty', { 'tls.crt': '', 'tls.key': '' }],
    ['JM#32: a Secret without tls.crt and tls.key', { other: 'x' }],
    ['JM#32: a Secret without tls.key', { 'tls.crt': 'x' }],
  ])('%s as a certificate concern that host alone, from a cold start on', async (_case, data) => {
    const world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'shop'] as const).map((name) => certificates.secretOf(name)),
        secret({ name: 'bad', data }),
        withTls('bad', 'bad.example.com', 'bad'),
        withTls('shop', 'shop.example.com', 'shop'),
      ],
      options,
    );
    try {
      expect(await certificates.shownBy(world, 'shop.example.com')).toBe('shop');
      expect(await certificates.shownBy(world, 'bad.example.com')).toBe('fallback');
      expect(await world.outcome({ host: 'bad.example.com' })).toBe('root');
    } finally {
      await world.stop();
    }
  });

  it('HT#4: blank lines and line feeds at the end of a renewed certificate end no command', async () => {
    const world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'shop'] as const).map((name) => certificates.secretOf(name)),
        withTls('shop', 'shop.example.com', 'shop'),
      ],
      options,
    );
    try {
      const { cert, key } = certificates.certificateOf('shopAgain');
      const data = { 'tls.crt': `\n\n${cert}\n\n\n`, 'tls.key': `${key.replaceAll('\n', '\r\n')}\n\n\n\n` };
      world.put(secret({ name: 'shop', data }));
      expect(await world.changeFrom(world.started)).toEqual(['cert_set']);
      expect(await certificates.shownBy(world, 'shop.example.com')).toBe('shopAgain');
    } finally {
      await world.stop();
    }
  });

  it('HAPTIC#118: a Secret that says the same in another way is no new certificate', async () => {
    const world = await startIngressTraffic(
      line,
      [...pool.objects, certificates.secretOf('shop'), withTls('shop', 'shop.example.com', 'shop')],
      options,
    );
    try {
      const { cert, key } = certificates.certificateOf('shop');
      const data = { 'tls.crt': `\r\n${cert.replaceAll('\n', '\r\n')}\n\n`, 'tls.key': `\n${key}\n` };
      world.put(secret({ name: 'shop', data, labels: { renewed: 'never' } }));
      expect(await world.changeFrom(world.started)).toEqual([]);
    } finally {
      await world.stop();
    }
  });

  it('one Secret in two Ingresses is for the hosts of both', async () => {
    const world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'wild'] as const).map((name) => certificates.secretOf(name)),
        withTls('first', 'first.example.com', 'wild'),
        withTls('second', 'second.example.com', 'wild'),
      ],
      options,
    );
    try {
      for (const name of ['first', 'second'])
        expect(await certificates.shownBy(world, `${name}.example.com`)).toBe('wild');
      expect(await certificates.shownBy(world, 'third.example.com')).toBe('fallback');
      world.remove(withTls('first', 'first.example.com', 'wild'));
      await world.changeFrom(world.started);
      expect(await certificates.shownBy(world, 'first.example.com')).toBe('fallback');
      expect(await certificates.shownBy(world, 'second.example.com')).toBe('wild');
    } finally {
      await world.stop();
    }
  });

  it('HT#13: a passthrough host that loses its last endpoint changes no frontend and takes no route away', async () => {
    const passed = ingress({
      name: 'passed',
      rules: [{ host: 'passed.example.com', paths: [{ path: '/', service: 'inner' }] }],
      annotations: said('ssl-passthrough', 'true'),
    });
    const slice = (...endpoints: readonly string[]) => endpointSlice({ service: 'inner', endpoints });
    const world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        certificates.secretOf('fallback'),
        service({ name: 'inner' }),
        slice('127.0.0.1'),
        passed,
        ingress({ name: 'shop', rules: [rootRule('shop.example.com')] }),
      ],
      options,
    );
    try {
      const reloads = await world.haproxy.reloads();
      world.put(slice());
      expect(await world.changeFrom(world.started)).not.toContain('map_del');
      expect(await world.outcome({ host: 'shop.example.com' })).toBe('root');
      const configuration = bundleFiles(world.bundle())['haproxy.cfg'] ?? '';
      expect(configuration.replaceAll(/^ +server .*\n/gm, '')).toBe(
        bundleFiles(world.started)['haproxy.cfg']?.replaceAll(/^ +server .*\n/gm, ''),
      );
      expect(await world.haproxy.reloads()).toBe(reloads);
    } finally {
      await world.stop();
    }
  });

  it('JM#29: an exact host goes before a wildcard that asks for certificates, and a wildcard lets nobody past an exact host', async () => {
    const world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'wild', 'shop'] as const).map((name) => certificates.secretOf(name)),
        secret({ name: 'ca', data: { 'ca.crt': authority.cert } }),
        withTls('open-wildcard', '*.example.com', 'wild'),
        withTls('asking', 'asking.example.com', 'shop', said('auth-tls-secret', 'ca')),
        withTls('asking-wildcard', '*.asking.example.com', 'wild', said('auth-tls-secret', 'ca')),
        withTls('open', 'open.asking.example.com', 'shop'),
      ],
      options,
    );
    const status = async (host: string, servername: string, as?: IssuedCertificate) => {
      const request = https.request({
        ...{ ...world.https, servername, headers: { host }, rejectUnauthorized: false, agent: false },
        ...(as && { cert: as.cert, key: as.key }),
      });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    try {
      expect(await status('asking.example.com', 'asking.example.com')).toBe(403);
      expect(await status('asking.example.com', 'asking.example.com', client)).toBe(200);
      expect(await status('asking.example.com', 'x.example.com', client)).toBe(421);
      expect(await status('x.asking.example.com', 'x.asking.example.com')).toBe(403);
      expect(await status('open.asking.example.com', 'open.asking.example.com')).toBe(200);
      expect(await status('x.asking.example.com', 'open.asking.example.com', client)).toBe(421);
    } finally {
      await world.stop();
    }
  });
});

it('HT#14: hosts that are passed through and routes that keep people out come to the same bytes in whichever order they come', () => {
  const objects: readonly KubeObject[] = [
    ...pool.objects,
    certificates.secretOf('shop'),
    secret({ name: 'ca', data: { 'ca.crt': authority.cert } }),
    ...['a', 'b', 'c'].flatMap((name) => [
      ingress({
        name: `passed-${name}`,
        rules: [rootRule(`${name}.passed.example.com`)],
        annotations: said('ssl-passthrough', 'true'),
      }),
      withTls(`asking-${name}`, `${name}.asking.example.com`, 'shop', said('auth-tls-secret', 'ca')),
      ingress({
        name: `listed-${name}`,
        rules: [rootRule(`${name}.listed.example.com`)],
        annotations: said('denylist-source-range', '192.0.2.0/24'),
      }),
      ingress({ name: `open-${name}`, rules: [rootRule(`${name}.open.example.com`)] }),
    ]),
  ];
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const renders = new Set(
    Array.from({ length: 50 }, () => {
      const renderer = createIngressRenderer({ extraContext: { tls: { passthrough: true } } });
      renderer.put(ingressClass());
      const left = [...objects];
      // Some come in a turn of their own, so that what was rendered in between plays a part.
      while (left.length > 0) {
        renderer.put(...left.splice(Math.floor(random() * left.length), 1));
        if (random() < 0.2) renderer.bundle();
      }
      return JSON.stringify(bundleFiles(renderer.bundle()));
    }),
  );
  expect(renders.size).toBe(1);
  const [text = ''] = renders;
  expect(text).toContain('passed.example.com');
  expect(text).toContain('192.0.2.0/24');
});
