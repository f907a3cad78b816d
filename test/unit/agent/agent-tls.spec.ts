import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import pino from 'pino';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildAgentServer } from '../../../src/agent/build-agent-server.ts';
import { serverLimits } from '../../../src/agent/server-limits.ts';
import { createAgentClient } from '../../../src/fleet/agent-client.ts';
import { type CertificatePolicy, defaultPolicy } from '../../../src/certificates/certificate-policy.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import { tlsNames } from '../../../src/protocol/tls-names.ts';
import { type AgentCertificates, day, makeAgentCertificates } from '../../fixtures/agent-certificates.ts';
import { eventually } from '../../fixtures/haproxy-process.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface ServerOptions {
  readonly dir: string;
  readonly clientName?: string;
  readonly now?: () => number;
  readonly handshakeMs?: number;
}

/** The agent's real server on a free port, in front of an agent that counts what reaches it. */
async function serve({ dir, clientName = tlsNames.controller, now, handshakeMs = 10_000 }: ServerOptions) {
  const lines: string[] = [];
  const state = vi.fn(() => Promise.resolve({ applied_plan_id: 'p' } as AgentState));
  const app = buildAgentServer({
    agent: {
      ready: () => true,
      state,
      apply: () => Promise.reject(new Error('reached')),
      storePlan: () => Promise.reject(new Error('reached')),
    },
    auth: { kind: 'tls', dir, clientName },
    log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
    limits: { ...serverLimits, handshakeMs, checkMs: 50, graceMs: 200 },
    ...(now !== undefined && { now }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const connections = vi.fn();
  app.server.on('secureConnection', connections);
  return { port, state, lines, connections, log: () => lines.join('') };
}

function clientFor(dir: string, options: { serverName?: string; now?: () => number } = {}) {
  const { serverName = tlsNames.agent, now } = options;
  const client = createAgentClient({ tls: { dir, serverName }, ...(now !== undefined && { now }) });
  cleanups.push(() => client.close());
  return (port: number) =>
    lastValueFrom(client.state({ key: 'ns/pod', uid: 'u', address: '127.0.0.1', port, containerId: 'c' }));
}

async function certificates(
  options?: Parameters<typeof makeAgentCertificates>[0],
): Promise<AgentCertificates> {
  const made = await makeAgentCertificates(options);
  cleanups.push(made.remove);
  return made;
}

const named = (names: Partial<CertificatePolicy>): CertificatePolicy => ({ ...defaultPolicy, ...names });

let shared: AgentCertificates;
beforeAll(async () => {
  shared = await makeAgentCertificates();
  return shared.remove;
});

describe('agent and controller with the right certificates', () => {
  it('talk, over one connection for many requests', async () => {
    const { port, state, connections, log } = await serve({ dir: shared.serverDir });
    const ask = clientFor(shared.clientDir);
    for (let i = 0; i < 5; i++) expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
    expect(state).toHaveBeenCalledTimes(5);
    expect(connections.mock.calls.length).toBeLessThanOrEqual(2);
    expect(log()).not.toContain('PRIVATE');
  });

  it('talk TLS 1.3 and nothing older', async () => {
    const { port } = await serve({ dir: shared.serverDir });
    const handshake = (maxVersion: tls.SecureVersion) =>
      new Promise<string | null>((resolve, reject) => {
        const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion }, () => {
          resolve(socket.getProtocol());
          socket.destroy();
        });
        socket.on('error', reject);
      });
    expect(await handshake('TLSv1.3')).toBe('TLSv1.3');
    await expect(handshake('TLSv1.2')).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
  });

  it('resume no session, since a resumed one is not verified', async () => {
    const { port } = await serve({ dir: shared.serverDir });
    const sessions = vi.fn();
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('session', sessions);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await new Promise((resolve) => socket.on('data', () => undefined).on('close', resolve));
    const resumed = tls.connect({
      ...{ port, host: '127.0.0.1', rejectUnauthorized: false },
      ...(sessions.mock.lastCall !== undefined && { session: sessions.mock.lastCall[0] as Buffer }),
    });
    await new Promise((resolve) => resumed.on('secureConnect', resolve));
    expect(resumed.isSessionReused()).toBe(false);
    resumed.destroy();
  });
});

describe('the agent', () => {
  /** A request as some other client would send it. */
  const raw = async (port: number, options: tls.SecureContextOptions = {}, url = '/v1/state') => {
    const agent = new Agent({ keepAlive: false, rejectUnauthorized: false, ...options });
    return new Promise<{ status: number; body: { code?: string; message?: string } }>((resolve, reject) => {
      httpsRequest({ host: '127.0.0.1', port, path: url, agent }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as { code?: string } }),
        );
      })
        .on('error', reject)
        .end();
    });
  };
  const identity = async (dir: string) => ({
    cert: await readFile(path.join(dir, 'tls.crt')),
    key: await readFile(path.join(dir, 'tls.key')),
  });

  it('tells health and readiness to whom shows no certificate, and nothing else', async () => {
    const { port, state } = await serve({ dir: shared.serverDir });
    expect(await raw(port, {}, '/healthz')).toMatchObject({ status: 200 });
    expect(await raw(port, {}, '/readyz')).toMatchObject({ status: 200 });
    expect(await raw(port)).toMatchObject({
      status: 401,
      body: { code: 'HAPTIC_ERR_AGENT_CLIENT', message: 'the client shows no certificate' },
    });
    expect(state).not.toHaveBeenCalled();
  });

  it('refuses Basic credentials', async () => {
    const { port } = await serve({ dir: shared.serverDir });
    const answer = await new Promise<number>((resolve, reject) => {
      httpsRequest({
        host: '127.0.0.1',
        port,
        path: '/v1/state',
        auth: 'admin:secret',
        rejectUnauthorized: false,
      })
        .on('response', (response) => resolve(response.resume().statusCode ?? 0))
        .on('error', reject)
        .end();
    });
    expect(answer).toBe(401);
  });

  it.each([
    ['of another authority', () => certificates(), 'clientDir', "the client's certificate is not accepted"],
    [
      'that is the agents’ own',
      () => Promise.resolve(shared),
      'serverDir',
      "the client's certificate is not accepted: INVALID_PURPOSE",
    ],
  ] as const)('refuses a certificate %s', async (_what, made, dir, message) => {
    const { port, state, connections } = await serve({ dir: shared.serverDir });
    const answer = await raw(port, await identity((await made())[dir]));
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe('HAPTIC_ERR_AGENT_CLIENT');
    expect(answer.body.message).toContain(message);
    expect(connections).toHaveBeenCalled();
    expect(state).not.toHaveBeenCalled();
  });

  it.each([
    ['another name', 'haptic-other.haptic.svc'],
    ['a wildcard', '*.haptic.svc'],
    ['a longer name', `x.${tlsNames.controller}`],
  ])('refuses a certificate for %s, though of the right authority and purpose', async (_what, clientName) => {
    const made = await certificates({ policy: named({ clientName }) });
    const { port } = await serve({ dir: made.serverDir });
    const ask = clientFor(made.clientDir);
    await expect(ask(port)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_UNAUTHORIZED',
      message: expect.stringContaining(`is not for ${tlsNames.controller}`) as string,
    });
  });

  it('lets in the name that it is told to', async () => {
    const made = await certificates({ policy: named({ clientName: 'c.example' }) });
    const { port } = await serve({ dir: made.serverDir, clientName: 'C.example' });
    expect(await clientFor(made.clientDir)(port)).toEqual({ applied_plan_id: 'p' });
  });

  it('refuses a client certificate that expires on an open connection', async () => {
    let time = Date.now();
    const now = () => time;
    const short = await certificates();
    // A client certificate of an hour, made by the same authority.
    await short.renew({ policy: named({ clientName: 'elsewhere' }) });
    await short.renew({ policy: named({ validityMs: day / 24 }) });
    const { port, connections } = await serve({ dir: short.serverDir, now });
    const ask = clientFor(short.clientDir);
    expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
    time += day / 24 + 60_000;
    await expect(ask(port)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_UNAUTHORIZED',
      message: expect.stringContaining('expired at') as string,
    });
    expect(connections.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it('answers plain HTTP with 400 and says why', async () => {
    const { port } = await serve({ dir: shared.serverDir });
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path: '/v1/state' }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      })
        .on('error', reject)
        .end();
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      stage: 'request',
      code: 'HAPTIC_ERR_AGENT_TLS_REQUIRED',
    });
  });

  it('gives up on clients that never begin, or never finish, a handshake', async () => {
    const { port } = await serve({ dir: shared.serverDir, handshakeMs: 100 });
    for (const bytes of [Buffer.alloc(0), Buffer.from([0x16, 3, 1])]) {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(bytes);
      await new Promise((resolve) => socket.on('close', resolve));
    }
  });
});

describe('the controller', () => {
  it.each([
    ['of another authority', () => certificates(), 'serverDir', /unable to|self-signed|self signed/],
    ['that is the controller’s own', () => Promise.resolve(shared), 'clientDir', /purpose/i],
  ] as const)('refuses an agent with a certificate %s', async (_what, made, dir, message) => {
    const { port, state } = await serve({ dir: (await made())[dir] });
    const ask = clientFor(shared.clientDir);
    await expect(ask(port)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_TLS',
      message: expect.stringMatching(message) as string,
    });
    expect(state).not.toHaveBeenCalled();
  });

  it.each(['haptic-other.haptic.svc', '*.haptic.svc'])(
    'refuses an agent with a certificate for %s',
    async (serverName) => {
      const made = await certificates({ policy: named({ serverName }) });
      const { port } = await serve({ dir: made.serverDir });
      await expect(clientFor(made.clientDir)(port)).rejects.toMatchObject({
        code: 'HAPTIC_ERR_AGENT_TLS',
        message: expect.stringContaining(`is not for ${tlsNames.agent}`) as string,
      });
    },
  );

  it('refuses an agent whose certificate has expired', async () => {
    const past = Date.now() - 2 * day;
    const made = await certificates({ now: () => past, policy: named({ validityMs: day }) });
    const server = await serve({ dir: made.serverDir, now: () => past });
    // Its own is new, of the same authority kept as the former one.
    const ask = clientFor(shared.clientDir);
    await expect(ask(server.port)).rejects.toMatchObject({ code: 'HAPTIC_ERR_AGENT_TLS' });
  });

  it('opens no plain connection to an agent that answers plainly', async () => {
    const bytes: Buffer[] = [];
    const plain = net.createServer((socket) => {
      socket.on('data', (chunk) => {
        bytes.push(chunk);
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => plain.close(resolve)));
    const ask = clientFor(shared.clientDir);
    await expect(ask((plain.address() as AddressInfo).port)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_TLS',
    });
    expect(Buffer.concat(bytes).toString('latin1')).not.toContain('HTTP');
  });
});

describe('certificates that are exchanged', () => {
  it('are used by both sides without a restart, whichever is first, and no request fails', async () => {
    for (const first of ['server', 'client'] as const) {
      const made = await certificates();
      const lag = await certificates();
      // Each side has a folder of its own, which follows the issued one when the test says so.
      const publish = async (side: 'server' | 'client', revision: string) => {
        const to = path.join(lag.dir, side);
        await cp(path.join(made.dir, side, '..data/'), path.join(to, revision), {
          recursive: true,
          dereference: true,
        });
        await symlink(revision, path.join(to, '..next'));
        await rename(path.join(to, '..next'), path.join(to, '..data'));
      };
      for (const side of ['server', 'client'] as const) {
        await rm(path.join(lag.dir, side), { recursive: true });
        await mkdir(path.join(lag.dir, side));
        await publish(side, 'one');
      }
      const { port, connections, log } = await serve({ dir: path.join(lag.serverDir, '..data') });
      const ask = clientFor(path.join(lag.clientDir, '..data'));
      expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
      await made.renew({ force: true });
      await publish(first, 'two');
      expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
      // A connection of each trust: what was opened before, and what is opened now.
      expect(await clientFor(path.join(lag.clientDir, '..data'))(port)).toEqual({ applied_plan_id: 'p' });
      await publish(first === 'server' ? 'client' : 'server', 'two');
      expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
      expect(await clientFor(path.join(lag.clientDir, '..data'))(port)).toEqual({ applied_plan_id: 'p' });
      expect(connections.mock.calls.length).toBeGreaterThan(1);
      expect(log()).toContain('certificate exchanged');
    }
  });

  it('end the service of an open connection whose client is not trusted any more', async () => {
    const hour = 3_600_000;
    const made = await certificates({ now: () => Date.now() - 3 * hour });
    const { port, state } = await serve({ dir: made.serverDir });
    // The controller's folder stays as it is.
    const kept = path.join(made.dir, 'kept');
    await cp(`${made.clientDir}/..data/`, kept, { recursive: true });
    const ask = clientFor(kept);
    expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
    await made.renew({ force: true, now: () => Date.now() - hour / 2 });
    expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
    await made.renew({ now: () => Date.now() + hour });
    await expect(ask(port)).rejects.toMatchObject({
      code: expect.stringMatching(/HAPTIC_ERR_AGENT_(UNAUTHORIZED|TLS)/) as string,
    });
    expect(state).toHaveBeenCalledTimes(2);
  });

  it('that are not usable end all service, by name of the file, until they are', async () => {
    const made = await certificates();
    const { port, state, log } = await serve({ dir: made.serverDir });
    const ask = clientFor(made.clientDir);
    expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
    const key = await readFile(path.join(made.serverDir, 'tls.key'));
    await writeFile(path.join(made.serverDir, 'tls.key'), 'no key');

    // On the open connection, and on a new one.
    await expect(ask(port)).rejects.toMatchObject({
      message: expect.stringMatching(/503.*HAPTIC_ERR_TLS_MATERIAL/) as string,
    });
    await expect(clientFor(made.clientDir)(port)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_UNREACHABLE',
    });
    expect(log()).toMatch(/HAPTIC_ERR_TLS_MATERIAL.*server\/tls\.key: holds no private key/);
    expect(state).toHaveBeenCalledOnce();

    await writeFile(path.join(made.serverDir, 'tls.key'), key);
    expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
  });

  it('that are not usable stop the controller, by name of the file, before it sends anything', async () => {
    const made = await certificates();
    const { port, state } = await serve({ dir: made.serverDir });
    const ask = clientFor(made.clientDir);
    expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
    const authority = await readFile(path.join(made.clientDir, 'ca.crt'));
    await rm(path.join(made.clientDir, '..data/ca.crt'));
    await expect(ask(port)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_TLS_MATERIAL',
      message: expect.stringMatching(/ns\/pod .*ca\.crt: is missing or empty/) as string,
    });
    expect(state).toHaveBeenCalledOnce();
    await writeFile(path.join(made.clientDir, '..data/ca.crt'), authority);
    expect(await ask(port)).toEqual({ applied_plan_id: 'p' });
  });

  it('that come after the agent are taken up when they do', async () => {
    const made = await certificates();
    await rename(made.serverDir, `${made.serverDir}-later`);
    const { port, log } = await serve({ dir: made.serverDir });
    await expect(clientFor(made.clientDir)(port)).rejects.toThrow();
    expect(log()).toContain('HAPTIC_ERR_TLS_MATERIAL');
    await rename(`${made.serverDir}-later`, made.serverDir);
    expect(await clientFor(made.clientDir)(port)).toEqual({ applied_plan_id: 'p' });
  });

  it('that end make the controller connect anew', async () => {
    let time = Date.now();
    const { port, connections } = await serve({ dir: shared.serverDir });
    const made = await certificates({ policy: named({ validityMs: 365 * day }) });
    const ask = clientFor(shared.clientDir, { now: () => time });
    await ask(port);
    await ask(port);
    const before = connections.mock.calls.length;
    time += 366 * day;
    await expect(ask(port)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_TLS_MATERIAL',
      message: expect.stringContaining('expired at') as string,
    });
    expect(connections.mock.calls.length).toBe(before);
    expect(made.dir).not.toBe('');
  });
});

describe('an agent that stops', () => {
  it('does not wait for clients that have not said anything', async () => {
    const { port } = await serve({ dir: shared.serverDir });
    const socket = net.connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.on('connect', resolve));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    await cleanups
      .splice(0)
      .reduce((before, clean) => before.then(clean), Promise.resolve<unknown>(undefined));
    await closed;
    await eventually('the port is free', () => (socket.destroyed ? true : undefined));
  });
});
