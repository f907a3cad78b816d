import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { Agent, request } from 'undici';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import { issueCertificate, type IssuedCertificate } from '../fixtures/certificates.ts';
import { bundleFiles, createIngressRenderer } from '../fixtures/ingress-renderer.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';
import { type BareHaproxy, startBareHaproxy } from './lib/bare-haproxy.ts';
import { cpuUsEach } from './lib/cpu-us-each.ts';
import { findLines } from './lib/find-lines.ts';
import { freePort } from './lib/free-port.ts';
import { endpointSliceOf, ingressClass, routeOf, serviceOf } from './lib/route-objects.ts';
import { percentile, rounded } from './lib/statistics.ts';

const handshakes = Number(process.env['HAPTIC_BENCH_HANDSHAKES'] ?? 200);
const requests = Number(process.env['HAPTIC_BENCH_REQUESTS'] ?? 2_000);
const rounds = Number(process.env['HAPTIC_BENCH_ROUNDS'] ?? 7);

/**
 * What TLS costs HAProxy, in µs of CPU time. `keys`: a whole handshake (TLS 1.3, nothing resumed) by the key of the certificate. `passthrough`: a
 * new connection with one request, and a request on a kept one, through the rendered configuration without and with `tls.passthrough`, the
 * host being one that is not handed on.
 */
export async function run(): Promise<object> {
  const [newest] = findLines();
  const haproxy = newest?.path ?? 'haproxy';
  const keys: Record<string, number> = {};
  for (const [name, certificate] of await certificatesByKey())
    keys[name] = await withHaproxy(haproxy, bareConfig(certificate), async (process, port) =>
      rounded(await cpuUsEach(process, handshakes, () => shakeHands(port)), 0),
    );
  return {
    handshakes,
    keys,
    passthrough: await inTurns(haproxy),
  };
}

/** Medians of `rounds`, in turns: whatever else the machine does meets both alike. */
async function inTurns(haproxy: string): Promise<object> {
  const ways = { without: [] as Connections[], with: [] as Connections[] };
  for (let round = 0; round < rounds; round++) {
    ways.without.push(await measureConnections(haproxy, false));
    ways.with.push(await measureConnections(haproxy, true));
  }
  const medians = (found: readonly Connections[]) => ({
    connectionUs: percentile(
      found.map(({ connectionUs }) => connectionUs),
      0.5,
    ),
    requestUs: percentile(
      found.map(({ requestUs }) => requestUs),
      0.5,
    ),
  });
  return { without: medians(ways.without), with: medians(ways.with) };
}

interface Connections {
  readonly connectionUs: number;
  readonly requestUs: number;
}

async function certificatesByKey(): Promise<readonly (readonly [string, IssuedCertificate])[]> {
  const rsa = async (modulusLength: number) => {
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength } as const;
    const publicExponent = new Uint8Array([1, 0, 1]);
    const keys = await crypto.subtle.generateKey({ ...algorithm, publicExponent }, true, ['sign', 'verify']);
    return [`RSA ${modulusLength}`, await issueCertificate({ keys })] as const;
  };
  return [
    ['ECDSA P-256', await issueCertificate()],
    await rsa(2048),
    await rsa(3072),
    await rsa(4096),
    await rsa(8192),
  ];
}

const bareConfig =
  ({ cert, key }: IssuedCertificate) =>
  (port: number) => ({
    'server.pem': cert + key,
    'haproxy.cfg': `global
    nbthread 1
    ssl-default-bind-options no-tls-tickets
defaults
    mode http
    timeout client 1m
frontend answers
    bind 127.0.0.1:${port} ssl crt server.pem
    http-request return status 200
`,
  });

async function measureConnections(haproxy: string, passthrough: boolean): Promise<Connections> {
  const { host } = routeOf(0);
  const { cert, key } = await issueCertificate({ names: [host] });
  const answering = await freePort();
  const answers = (port: number) => ({
    'haproxy.cfg': `defaults
    mode http
    timeout client 1m
frontend answers
    bind 127.0.0.1:${port}
    http-request return status 200
`,
  });
  const files = (port: number, spare: readonly number[]) => {
    const bind = (number: number | undefined) => `127.0.0.1:${String(number)}`;
    const version = /version (\S+)/.exec(execFileSync(haproxy, ['-v'], { encoding: 'utf8' }))?.[1] ?? '';
    const { operations: _operations, ...capabilities } = capabilitiesOf({ version }, []);
    const renderer = createIngressRenderer({
      extraContext: {
        httpsBind: bind(port),
        httpBind: bind(spare[0]),
        statusBind: bind(spare[1]),
        tls: { passthrough },
      },
      capabilities,
    });
    const at = { ...routeOf(0), addresses: ['127.0.0.1'], port: answering };
    const rules = [{ host, paths: [{ path: '/', service: at.name, port: 80 }] }];
    renderer.put(
      ingressClass,
      serviceOf(at),
      endpointSliceOf(at),
      secret({ namespace: at.namespace, name: 'shown', data: { 'tls.crt': cert, 'tls.key': key } }),
      ingress({
        namespace: at.namespace,
        name: at.name,
        rules,
        tls: [{ hosts: [host], secretName: 'shown' }],
      }),
    );
    return bundleFiles(renderer.bundle());
  };
  return withHaproxy(
    haproxy,
    answers,
    () =>
      withHaproxy(haproxy, files, async (process, port) => {
        const ask = (agent: Agent) => async () => {
          const answer = await request(`https://127.0.0.1:${port}/`, {
            dispatcher: agent,
            headers: { host },
          });
          await answer.body.dump();
          if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
        };
        const connect = { rejectUnauthorized: false, servername: host, maxCachedSessions: 0 };
        const fresh = () => new Agent({ connect });
        await using kept = new AsyncDisposableStack();
        const agent = fresh();
        kept.defer(() => agent.close());
        return {
          connectionUs: rounded(
            await cpuUsEach(process, handshakes, async () => {
              const own = fresh();
              await ask(own)();
              await own.close();
            }),
            0,
          ),
          requestUs: rounded(await cpuUsEach(process, requests, ask(agent)), 0),
        };
      }),
    answering,
  );
}

/** HAProxy on files of its own in a new folder, while `use` runs. */
async function withHaproxy<T>(
  haproxy: string,
  files: (port: number, spare: readonly number[]) => Readonly<Record<string, string>>,
  use: (process: BareHaproxy, port: number) => Promise<T>,
  at?: number,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-handshakes-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const port = at ?? (await freePort());
  const spare = [await freePort(), await freePort()];
  const process = await startBareHaproxy(haproxy, folder, files(port, spare), port);
  resources.defer(process.stop);
  return await use(process, port);
}

async function shakeHands(port: number): Promise<void> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  // Without a reader its end is never seen.
  socket.resume().end();
  await once(socket, 'close');
}
