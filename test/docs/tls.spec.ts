import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type IssuedCertificate, issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, secret, service } from '../fixtures/kube-objects.ts';
import { startTlsEcho } from '../fixtures/tls-echo.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/tls.md'), 'utf8');
const documents = [...page.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text]) =>
  parseAllDocuments(text ?? '').map((document) => document.toJS() as KubeObject),
);

function example(kind: string, name: string): KubeObject {
  const found = documents.find((document) => document.kind === kind && document.metadata.name === name);
  if (found === undefined) throw new Error(`docs/tls.md has no ${kind} ${name}`);
  return found;
}

const pair = (name: string, { cert, key }: IssuedCertificate) =>
  secret({ name, data: { 'tls.crt': cert, 'tls.key': key } });

describeEachLine('the examples of docs/tls.md', (line) => {
  it('let clients with certificates in, hand connections on, and verify servers', async () => {
    const ca = await issueCertificate({ names: ['ca'], isAuthority: true });
    const front = await issueCertificate({ names: ['*.example.com'] });
    const client = await issueCertificate({ names: ['client'], issuer: ca });
    const inner = await issueCertificate({ names: ['ledger.internal'], issuer: ca });
    const pool = await startEchoPool('shop');
    const vault = await startTlsEcho('vault', { certificate: inner });
    const ledger = await startTlsEcho('ledger', { certificate: inner, authority: ca });
    const slice = (of: string, { host, port }: { readonly host: string; readonly port: number }) =>
      endpointSlice({ service: of, ports: [{ port }], endpoints: [{ address: host, pod: of }] });
    const world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        pair('shop-tls', front),
        pair('haproxy-client', client),
        secret({ name: 'client-ca', data: { 'ca.crt': ca.cert } }),
        secret({ name: 'server-ca', data: { 'ca.crt': ca.cert } }),
        example('Ingress', 'admin'),
        example('Ingress', 'vault'),
        service({ name: 'vault', ports: [{ port: 443 }] }),
        slice('vault', vault),
        example('Service', 'ledger'),
        slice('ledger', ledger),
        ingress({
          name: 'ledger',
          rules: [{ host: 'ledger.example.com', paths: [{ path: '/', service: 'ledger', port: 443 }] }],
        }),
      ],
      {
        defaultCertificates: [{ namespace: 'shop', name: 'shop-tls' }],
        extraContext: { tls: { passthrough: true } },
      },
    );
    const ask = async (host: string, as?: IssuedCertificate) => {
      const request = https.request({
        ...{ ...world.https, servername: host, headers: { host }, rejectUnauthorized: false, agent: false },
        ...(as && { cert: as.cert, key: as.key }),
      });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      return response.statusCode === 200
        ? (JSON.parse(body) as { readonly server: string }).server
        : response.statusCode;
    };
    try {
      expect(await ask('admin.example.com')).toBe(403);
      expect(await ask('admin.example.com', client)).toBe('shop');
      expect(await ask('vault.example.com')).toBe('vault');
      expect(await ask('ledger.example.com')).toBe('ledger');
    } finally {
      await world.stop();
      await Promise.all([pool, vault, ledger].map((server) => server.stop()));
    }
  });
});
