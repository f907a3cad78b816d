import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, service, type ServiceOptions } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

interface Backend {
  readonly host: string;
  readonly port: number;
  readonly stop: () => Promise<void>;
}

async function listen(server: net.Server): Promise<Backend> {
  const at = await freeAddress();
  const open = new Set<net.Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // Clients go as they like.
    socket.on('error', () => socket.destroy());
  });
  server.listen(at.port, at.host);
  await once(server, 'listening');
  return {
    ...at,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Says over which protocol it was asked, and for which name by TLS. */
const tell = (request: http.IncomingMessage | http2.Http2ServerRequest) => {
  const { httpVersion, socket } = request;
  const name = 'servername' in socket ? socket.servername : '';
  return `${httpVersion} ${'encrypted' in socket ? `tls ${String(name)}` : 'plain'}`;
};

/** Answers an upgrade to WebSocket, then gives back every byte. */
function echoUpgrades(server: http.Server | https.Server): void {
  server.on('upgrade', (_request: http.IncomingMessage, socket: net.Socket) => {
    // RFC 6455, 1.3: its example.
    const accept = 'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
}

/** A route at `<name>.example.com` to a Service with one endpoint. */
function site(name: string, at: { readonly host: string; readonly port: number }, options: ServiceOptions) {
  return [
    ingress({ name, rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: name }] }] }),
    service({ name, ...options }),
    endpointSlice({ service: name, ports: [{ port: at.port }], endpoints: [{ address: at.host }] }),
  ];
}

const protocol = (appProtocol: string): ServiceOptions => ({ ports: [{ appProtocol }] });

let plain: Backend;
let h2c: Backend;
let tls: Backend;
const pool = setUp(() => startEchoPool('a', 'b', 'c', 'd', 'e'));
beforeAll(async () => {
  const { cert, key } = await issueCertificate();
  const answer = (request: http.IncomingMessage, response: http.ServerResponse) =>
    response.end(tell(request));
  const plainServer = http.createServer(answer);
  const tlsServer = https.createServer({ cert, key }, answer);
  echoUpgrades(plainServer);
  echoUpgrades(tlsServer);
  plain = await listen(plainServer);
  tls = await listen(tlsServer);
  const h2Server = http2.createServer((request, response) => {
    if (request.headers['content-type'] !== 'application/grpc') {
      response.end(tell(request));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/grpc', trailer: 'grpc-status' });
    request.pipe(response, { end: false });
    request.on('end', () => {
      response.addTrailers({ 'grpc-status': '0' });
      response.end();
    });
  });
  h2c = await listen(h2Server);
});
afterAll(() => Promise.all([plain.stop(), h2c.stop(), tls.stop()]));

describeEachLine('appProtocol', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...site('none', plain, {}),
      ...site('http', plain, protocol('http')),
      ...site('ws', plain, protocol('kubernetes.io/ws')),
      ...site('odd', plain, protocol('example.com/custom')),
      ...site('h2c', h2c, protocol('kubernetes.io/h2c')),
      ...site('grpc', h2c, protocol('grpc')),
      ...site('https', tls, protocol('https')),
      ...site('wss', tls, protocol('kubernetes.io/wss')),
      ...site('wrong', tls, protocol('http')),
    ]),
  );

  it.each([
    ['none', '1.1 plain'],
    ['http', '1.1 plain'],
    ['ws', '1.1 plain'],
    ['odd', '1.1 plain'],
    ['h2c', '2.0 plain'],
    ['grpc', '2.0 plain'],
    ['https', '1.1 tls https.example.com'],
    ['wss', '1.1 tls wss.example.com'],
  ])('decides what the servers are spoken to in: %s', async (name, expected) => {
    const { status, body } = await world.request({ host: `${name}.example.com` });
    expect([status, body.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, '')]).toEqual([200, expected]);
  });

  it('is needed for servers that speak TLS', async () => {
    const { status } = await world.request({ host: 'wrong.example.com' });
    expect([400, 502]).toContain(status);
  });

  it.each(['ws', 'wss', 'none'])('lets connections be upgraded: %s', async (name) => {
    const socket = net.connect(world.http.port, world.http.host);
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${name}.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await expect.poll(() => text).toContain('\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 101 /);
    socket.write('there and back');
    await expect.poll(() => text).toMatch(/there and back$/);
    socket.destroy();
  });

  // Older lines cannot add backends at runtime.
  if (line.line === '3.4')
    it.each([
      ['kubernetes.io/h2c', 'late-h2c', '2.0 plain'],
      ['https', 'late-tls', '1.1 tls late-tls.example.com'],
    ])('%s: comes and goes without a reload', async (appProtocol, name, expected) => {
      const late = site(name, appProtocol === 'https' ? tls : h2c, protocol(appProtocol));
      const before = world.bundle();
      world.put(...late);
      expect(await world.changeFrom(before)).toContain('backend_add');
      const { status, body } = await world.request({ host: `${name}.example.com` });
      expect(status).toBe(200);
      expect(body).toContain(expected);
      const between = world.bundle();
      world.remove(...late);
      expect(await world.changeFrom(between)).toContain('backend_del');
      expect(await world.outcome({ host: `${name}.example.com` })).toBe('404');
    });

  it('carries gRPC: requests and answers in parts, and trailers', async () => {
    const session = http2.connect(`http://${world.http.host}:${world.http.port}`);
    const stream = session.request({
      ':method': 'POST',
      ':authority': 'grpc.example.com',
      ':path': '/pkg.Service/Call',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let text = '';
    let trailers: Record<string, unknown> = {};
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('trailers', (headers: Record<string, unknown>) => (trailers = headers));
    stream.write('one ');
    await expect.poll(() => text).toBe('one ');
    stream.end('two');
    await once(stream, 'end');
    expect(text).toBe('one two');
    expect(trailers['grpc-status']).toBe('0');
    session.close();
  });
});

describeEachLine('sessionAffinity: ClientIP', (line) => {
  const slices = (...names: readonly string[]) =>
    names.map((name) => {
      const { host, port } = pool.at(name);
      return endpointSlice({
        name,
        service: 'sticky',
        ports: [{ port }],
        endpoints: [{ address: host, pod: name }],
      });
    });
  const objects = (sessionAffinity: string) => [
    ingress({
      name: 'sticky',
      rules: [{ host: 'sticky.example.com', paths: [{ path: '/', service: 'sticky' }] }],
    }),
    service({ name: 'sticky', sessionAffinity }),
  ];
  const clients = Array.from({ length: 40 }, (_, i) => `127.31.0.${i + 1}`);
  const serversOf = async (world: IngressTraffic) => {
    const entries = clients.map(
      async (from) => [from, await world.outcome({ host: 'sticky.example.com', from })] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  };
  const movedBetween = (before: Record<string, string>, after: Record<string, string>) =>
    clients.filter((client) => before[client] !== after[client]);

  const start = () => startIngressTraffic(line, [...objects('ClientIP'), ...slices('a', 'b', 'c')]);
  const world = setUp(start);
  const twin = setUp(start);

  it('keeps a client with one server, whichever HAProxy it comes to and whatever is reloaded', async () => {
    const first = await serversOf(world);
    expect(new Set(Object.values(first))).toEqual(new Set(['a', 'b', 'c']));
    expect(await serversOf(world)).toEqual(first);
    expect(await serversOf(twin)).toEqual(first);
    await world.reload();
    expect(await serversOf(world)).toEqual(first);
  });

  it('moves only clients of a server that goes, and of those that come only their share', async () => {
    const three = await serversOf(world);
    let before = world.bundle();
    world.put(...slices('d'));
    expect(await world.changeFrom(before)).toEqual(['server_add', 'server_enable']);
    const four = await serversOf(world);
    const toNew = movedBetween(three, four);
    expect(toNew.map((client) => four[client]).filter((server) => server !== 'd')).toEqual([]);
    expect(toNew.length).toBeLessThan(clients.length / 2);
    before = world.bundle();
    world.remove(...slices('d'));
    await world.changeFrom(before);
    expect(await serversOf(world)).toEqual(three);
  });

  // There, pods may disagree until their next reload (docs/adr/0061).
  if (line.line !== '2.6')
    it('knows servers by their addresses: a pod that has added one itself agrees with one that has read it from the file', async () => {
      for (const one of [world, twin]) {
        const before = one.bundle();
        one.remove(...slices('a'));
        one.put(...slices('e'));
        await one.changeFrom(before);
      }
      await twin.deploy();
      expect(await serversOf(world)).toEqual(await serversOf(twin));
    });

  if (line.line === '3.4')
    it('is had by another Service without a reload', async () => {
      const { host, port } = pool.at('a');
      const before = world.bundle();
      world.put(...site('other', { host, port }, { sessionAffinity: 'ClientIP' }));
      expect(await world.changeFrom(before)).toContain('backend_add');
      expect(await world.outcome({ host: 'other.example.com' })).toBe('a');
    });

  it('is not there without', async () => {
    world.put(...objects('None'));
    await world.deploy();
    const seen = new Set<string>();
    for (let i = 0; i < 12; i++)
      seen.add(await world.outcome({ host: 'sticky.example.com', from: '127.31.0.1' }));
    expect(seen.size).toBeGreaterThan(1);
  });
});
