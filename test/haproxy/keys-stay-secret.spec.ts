import { beforeAll, expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { asNew } from '../fixtures/as-new.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { ingress, ingressClass, secret, service } from '../fixtures/kube-objects.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { secretForms } from '../fixtures/secret-forms.ts';
import { shippedConfig } from '../fixtures/shipped-config.ts';
import { startWatchedController } from '../fixtures/watched-controller.ts';

/** What stands in Secrets where a key, a certificate or a list should be. */
const junk = {
  key: 'canary+junk/key~9a31',
  noPem: 'canary no pem at all 9a32',
  encrypted: 'canary/encrypted+9a33',
  ca: 'canary-authority-9a34',
  crl: 'canary-revocations-9a35',
  client: 'canary-client-key-9a36',
  jwt: 'canary-jwt-key-9a37',
  besides: 'canary-besides-9a38',
} as const;

const pem = (label: string, content: string) =>
  `-----BEGIN ${label}-----\n${Buffer.from(content.repeat(4)).toString('base64')}\n-----END ${label}-----\n`;

let pool: TlsPool;
beforeAll(async () => {
  pool = await createTlsPool();
});

describeEachLine('what a controller tells of keys and certificates', (line) => {
  it('has nothing of those that Secrets hold, whole or broken, in any form', async () => {
    const [first, , second] = pool.leaves;
    const [client] = pool.clients;
    if (first === undefined || second === undefined || client === undefined) throw new Error('no pool');
    const tls = {
      good: { 'tls.crt': first.cert, 'tls.key': first.key, 'other.txt': junk.besides },
      mismatched: { 'tls.crt': first.cert, 'tls.key': second.key },
      'junk-key': { 'tls.crt': first.cert, 'tls.key': pem('PRIVATE KEY', junk.key) },
      'no-pem': { 'tls.crt': first.cert, 'tls.key': junk.noPem },
      encrypted: { 'tls.crt': first.cert, 'tls.key': pem('ENCRYPTED PRIVATE KEY', junk.encrypted) },
      'key-as-cert': { 'tls.crt': second.key, 'tls.key': first.key },
      unended: { 'tls.crt': first.cert, 'tls.key': first.key.slice(0, -40) },
    };
    const others = {
      ca: { 'ca.crt': pool.authorities[0] ?? '' },
      'ca-junk': { 'ca.crt': pem('CERTIFICATE', junk.ca), 'ca.crl': pem('X509 CRL', junk.crl) },
      'ca-key': { 'ca.crt': `${pool.authorities[0] ?? ''}${client.key}` },
      'client-good': { 'tls.crt': client.cert, 'tls.key': client.key },
      'client-junk': { 'tls.crt': client.cert, 'tls.key': pem('PRIVATE KEY', junk.client) },
      jwt: { 'key.pem': client.key },
      'jwt-junk': { 'key.pem': junk.jwt },
    };
    const controller = await startWatchedController(
      line,
      shippedConfig(),
      [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
        ingressClass(),
        service({ name: 'web' }),
        service({ name: 'tls-good', annotations: prefixed(backendTls('ca', 'client-good')) }),
        service({ name: 'tls-junk', annotations: prefixed(backendTls('ca-junk', 'client-junk')) }),
        ...Object.entries(tls).map(([name, data]) => secret({ name, data })),
        ...Object.entries(others).map(([name, data]) => secret({ name, type: 'Opaque', data })),
        ...Object.keys(tls).map((name) =>
          ingress({
            name,
            tls: [{ hosts: [`${name}.example.com`], secretName: name }],
            rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: 'web' }] }],
          }),
        ),
        ...['ca', 'ca-junk', 'ca-key'].map((name) =>
          annotatedIngress(`auth-${name}.example.com`, { 'auth-tls-secret': name }),
        ),
        ...['jwt', 'jwt-junk'].map((name) =>
          annotatedIngress(`with-${name}.example.com`, { 'jwt-secret': name }),
        ),
        ...['tls-good', 'tls-junk'].map((name) =>
          annotatedIngress(`to-${name}.example.com`, {}, [{ path: '/', service: name }]),
        ),
      ].map(asNew),
    );
    try {
      // All of them have been looked at.
      const about = [...Object.keys(tls), ...Object.keys(others)].filter(
        (name) => !/^(good|ca|client-good)$/.test(name),
      );
      for (const name of about)
        await expect
          .poll(() => controller.has(new RegExp(`Secret shop/${name}(?![\\w-])`)), {
            timeout: 20_000,
            message: name,
          })
          .toBe(true);
      const told = await controller.told('v1/events');
      const keys = [first.key, second.key, client.key].flatMap((key) =>
        key.split('\n').filter((text) => text !== '' && !text.startsWith('-----')),
      );
      const bytes = [first.key, second.key, client.key].map((key) => keyBytes(key));
      const leaks = [
        ...[...Object.values(junk), ...keys].flatMap(secretForms),
        ...bytes.flatMap((hex) => [hex, hex.toUpperCase()]),
      ].flatMap((form) =>
        told.filter((text) => text.includes(form)).map((text) => `${form} in ${text.slice(0, 500)}`),
      );
      expect(leaks).toStrictEqual([]);
    } finally {
      await controller.stop();
    }
  });
});

function backendTls(authority: string, identity: string): Readonly<Record<string, string>> {
  return {
    'secure-backends': 'true',
    'secure-verify-ca-secret': authority,
    'secure-crt-secret': identity,
  };
}

/** Some bytes from the end of a key, in hex: those of the secret number are among them. */
function keyBytes(key: string): string {
  const text = key.split('\n').filter((part) => part !== '' && !part.startsWith('-----'));
  return Buffer.from(text.join(''), 'base64').subarray(-48, -16).toString('hex');
}
