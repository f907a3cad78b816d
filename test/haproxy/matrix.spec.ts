import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotationPrefix } from '../../src/projections/policies/annotation-field.ts';
import { policyTable } from '../../src/projections/policies/policy-table.ts';
import { ask, protocols } from '../fixtures/ask.ts';
import { createCertificatePool } from '../fixtures/certificate-pool.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, service } from '../fixtures/kube-objects.ts';
import { matrixPolicyRows } from '../fixtures/matrix-policy-rows.ts';
import type { MatrixProbe } from '../fixtures/matrix-row.ts';
import { matrixRows } from '../fixtures/matrix-rows.ts';
import { matrixSite } from '../fixtures/matrix-site.ts';
import { setUp } from '../fixtures/set-up.ts';
import { startTlsEcho } from '../fixtures/tls-echo.ts';

const rows = [...matrixRows, ...matrixPolicyRows];

const pool = setUp(() => startEchoPool(...matrixSite.servers));
const certificates = setUp(() => createCertificatePool());
const secured = setUp(() => startTlsEcho('secured', { certificate: certificates.certificateOf('own') }));
/** Takes connections, and never answers. */
const mute = net.createServer((socket) => socket.on('error', () => socket.destroy()).resume());
const silent = setUp(() => freeAddress());
beforeAll(async () => {
  mute.listen(silent.port, silent.host);
  await once(mute, 'listening');
});
afterAll(() => mute.close());

const at = (name: string, { host, port }: { readonly host: string; readonly port: number }) => [
  service({ name }),
  endpointSlice({ service: name, ports: [{ port }], endpoints: [{ address: host, pod: name }] }),
];

describeEachLine('the matrix of traffic', (line) => {
  const world = setUp(async () => {
    const objects = rows.flatMap((row) => row.objects);
    return startIngressTraffic(
      line,
      [
        ...[...pool.objects, ...at('secured', secured), ...at('mute', silent)],
        ...[certificates.secretOf('fallback'), ...objects],
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    );
  });

  describe.each(protocols)('over %s', (protocol) => {
    const probes = rows.flatMap(({ feature, yes, no }) =>
      [
        ...yes.map((probe) => [`${feature}: ${nameOf(probe)}`, probe] as const),
        ...no.map((probe) => [`not ${feature}: ${nameOf(probe)}`, probe] as const),
      ].filter(([, { over = protocol }]) => over === protocol),
    );

    it.each(probes)('%s', async (_name, probe) => {
      for (let i = 1; i < (probe.times ?? 1); i++) await ask(world, protocol, probe);
      const { outcome, headers, body, echo } = await ask(world, protocol, probe);
      if (typeof probe.outcome === 'string') expect(outcome).toBe(probe.outcome);
      else expect(outcome).toMatch(probe.outcome);
      for (const [name, value] of Object.entries(probe.has ?? {})) {
        const expected: unknown = value instanceof RegExp ? expect.stringMatching(value) : value;
        expect([name, headers[name]]).toEqual([name, expected]);
      }
      if (probe.sets !== undefined) expect(headers['set-cookie']?.join()).toContain(`${probe.sets}=`);
      if (probe.says !== undefined) expect(body).toContain(probe.says);
      if (probe.asked?.url !== undefined) expect(echo?.url).toBe(probe.asked.url);
      for (const [name, value] of Object.entries(probe.asked?.headers ?? {})) {
        expect([name, echo?.headers[name]]).toEqual([name, value]);
      }
      if (echo !== undefined) expect(echo.headers['x-forwarded-proto']).toBe(protocol.toLowerCase());
    });
  });

  it.each(protocols)(
    'requests of HTTP/1.0 without a host are for nobody’s host, over %s',
    async (protocol) => {
      const socket =
        protocol === 'HTTP'
          ? net.connect(world.http)
          : tls.connect({ ...world.https, servername: 'host.test', rejectUnauthorized: false });
      socket.write('GET / HTTP/1.0\r\n\r\n');
      const [head] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(head.toString()).toMatch(/^HTTP\/1\.[01] 404 /);
    },
  );
});

/** Topics whose effect no single answer shows, and the tests that show it. */
const elsewhere: Readonly<Record<string, string>> = {
  balance: 'policies-backends.spec.ts',
  serverLimits: 'policies-backends.spec.ts',
  caching: 'policies-caching.spec.ts',
  logging: 'policies-requests.spec.ts',
};

it.each(policyTable.map((topic) => [topic.title, topic] as const))(
  'has a row about %s, or a test of its own',
  (_title, { name, fields }) => {
    const keys = Object.values(fields).map(({ key }) => key);
    const said = new Set(
      rows.flatMap(({ objects }) =>
        objects.flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {})),
      ),
    );
    const file = path.join(import.meta.dirname, elsewhere[name] ?? '');
    const other = name in elsewhere && existsSync(file) ? readFileSync(file, 'utf8') : '';
    expect(keys).toSatisfy((all: readonly string[]) =>
      all.some((key) => said.has(annotationPrefix + key) || other.includes(key)),
    );
  },
);

const nameOf = ({ method = 'GET', host, target = '/', headers = {}, outcome }: MatrixProbe) =>
  `${[method, host + target, ...Object.keys(headers)].join(' ')}: ${String(outcome)}`;
