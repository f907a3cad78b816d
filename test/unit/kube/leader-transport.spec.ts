import { afterEach, describe, expect, it } from 'vitest';
import type { Connection, KubeCredentials } from '../../../src/kube/credentials.ts';
import { kubeTransport, type KubeTransport } from '../../../src/kube/kube-transport.ts';
import { leaderTransport } from '../../../src/kube/leader-transport.ts';
import { createTlsMaterial } from '../../../src/sandbox/api/tls-material.ts';
import { json, scriptedServer, type Handler, type ScriptedServer } from '../../fixtures/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(...args: Parameters<typeof scriptedServer>): Promise<ScriptedServer> {
  const server = await scriptedServer(...args);
  cleanups.push(() => server.close());
  return server;
}

function connect(server: string, more: Partial<KubeCredentials> = {}, ca?: string): KubeTransport {
  const tls = { skipVerify: false, ...(ca === undefined ? {} : { ca }) };
  const connection: Connection = { server, headers: {}, tls };
  const transport = kubeTransport({
    server,
    namespace: undefined,
    connection: () => Promise.resolve(connection),
    rebuild: () => undefined,
    ...more,
  });
  cleanups.push(() => transport.close());
  return transport;
}

const ok: Handler = (_request, response) => json(response, 200, {});
const write = { method: 'POST', path: '/api/v1/pods', body: {} } as const;
const refused = { ok: false, failure: { kind: 'not_leader' } };

describe('leaderTransport', () => {
  it('sends nothing while this process may not write, and everything while it may', async () => {
    const server = await serve(ok);
    let isLeading = false;
    const leader = leaderTransport(connect(server.url), () => isLeading);
    expect(await leader.request(write)).toEqual(refused);
    expect(server.requests).toEqual([]);
    isLeading = true;
    expect(await leader.request(write)).toMatchObject({ ok: true });
    expect(server.requests).toEqual(['POST /api/v1/pods']);
  });

  it('holds back a request whose credentials came after the term', async () => {
    const server = await serve(ok);
    const later = Promise.withResolvers<Connection>();
    let isLeading = true;
    const leader = leaderTransport(connect(server.url, { connection: () => later.promise }), () => isLeading);
    const answer = leader.request(write);
    isLeading = false;
    later.resolve({ server: server.url, headers: {}, tls: { skipVerify: false } });
    expect(await answer).toEqual(refused);
    expect(server.requests).toEqual([]);
  });

  it('holds back a request whose connection came about after the term, and the connection serves others', async () => {
    const tls = await createTlsMaterial(new Date());
    const server = await serve(ok, { key: tls.serverKey, cert: tls.serverCert });
    let isLeading = true;
    const transport = connect(server.url, {}, tls.caCert);
    const leader = leaderTransport(transport, () => isLeading);
    const answer = leader.request(write);
    // The request waits for a handshake, which takes turns of the event loop.
    await new Promise(setImmediate);
    isLeading = false;
    expect(await answer).toEqual(refused);
    expect(server.requests).toEqual([]);
    await expect.poll(() => server.connections()).toBe(1);
    expect(await transport.request({ path: '/version' })).toMatchObject({ ok: true });
    expect(server.requests).toEqual(['GET /version']);
    expect(server.connections()).toBe(1);
  });

  it('holds back the repetition after a 401 that was answered after the term', async () => {
    let isLeading = true;
    const server = await serve((_request, response) => {
      isLeading = false;
      json(response, 401, {});
    });
    const leader = leaderTransport(connect(server.url), () => isLeading);
    expect(await leader.request(write)).toEqual(refused);
    expect(server.requests).toEqual(['POST /api/v1/pods']);
  });

  it('tells how many requests are under way', async () => {
    const hold = Promise.withResolvers<undefined>();
    const server = await serve((_request, response) => void hold.promise.then(() => json(response, 200, {})));
    const leader = leaderTransport(connect(server.url), () => true);
    const answer = leader.request(write);
    await expect.poll(() => server.requests.length).toBe(1);
    expect(leader.underway()).toBe(1);
    hold.resolve(undefined);
    await answer;
    expect(leader.underway()).toBe(0);
  });
});
