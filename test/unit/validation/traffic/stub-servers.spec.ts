import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendRequest } from '../../../../src/validation/traffic/send-request.ts';
import {
  startStubServers,
  stubHeader,
  type StubServers,
} from '../../../../src/validation/traffic/stub-servers.ts';

let stubs: StubServers;
beforeEach(async () => {
  stubs = await startStubServers('127.31.7.1', [
    { backend: 'web', server: 'a' },
    { backend: 'web', server: 'b' },
  ]);
});
afterEach(() => stubs.stop());

const request = {
  method: 'POST',
  path: '/x?y',
  headers: { Host: 'h', 'X-A': '1' },
  body: 'hi',
  proxyHeader: '',
};

describe('a stub of a server', () => {
  it('records what it is asked, and says so in its answer', async () => {
    const { status, headers } = await sendRequest(stubs.addresses[1]!, request);
    expect(status).toBe(200);
    expect(stubs.requestOf(headers[stubHeader]!)).toEqual({
      backend: 'web',
      server: 'b',
      method: 'POST',
      path: '/x?y',
      headers: { host: 'h', 'x-a': '1', connection: 'close', 'content-length': '2' },
      body: 'hi',
    });
  });

  it('answers what it was told to', async () => {
    stubs.answerWith({ status: 503, headers: { 'retry-after': '5' }, body: 'later' });
    const answer = await sendRequest(stubs.addresses[0]!, request);
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: 'later' });
    stubs.answerWith({});
    expect(await sendRequest(stubs.addresses[0]!, request)).toMatchObject({ status: 200, body: '' });
  });

  it('takes a PROXY header before the request', async () => {
    const proxyHeader = 'PROXY TCP4 192.0.2.1 192.0.2.2 1 80\r\n';
    expect(await sendRequest(stubs.addresses[0]!, { ...request, proxyHeader })).toMatchObject({
      status: 200,
    });
  });

  it('takes TLS, with and without a server name', async () => {
    for (const name of ['shop.example.com', ''])
      expect(await sendRequest(stubs.addresses[0]!, { ...request, tls: name })).toMatchObject({
        status: 200,
      });
  });

  it.each(['http', 'https'])('takes HTTP/2 over %s', async (scheme) => {
    const { host, port } = stubs.addresses[0]!;
    const session = http2.connect(`${scheme}://${host}:${port}`, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/two', ':authority': 'two.example.com' });
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    stream.resume();
    session.close();
    expect(headers[':status']).toBe(200);
    expect(stubs.requestOf(String(headers[stubHeader]))).toMatchObject({
      path: '/two',
      headers: { host: 'two.example.com' },
    });
  });

  it('survives who speaks nothing that it knows', async () => {
    const { host, port } = stubs.addresses[0]!;
    for (const bytes of ['\0\0\0\0', 'PROXY garbage', '']) {
      const socket = net.connect(port, host);
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    }
    const secured = tls.connect({ host, port, rejectUnauthorized: false, minVersion: 'TLSv1.3' });
    secured.on('error', () => undefined);
    await once(secured, 'secureConnect');
    secured.destroy();
    expect(await sendRequest(stubs.addresses[0]!, request)).toMatchObject({ status: 200 });
  });

  it('knows no request of another answer', () => {
    expect(stubs.requestOf('17')).toBeUndefined();
    expect(stubs.requestOf('nonsense')).toBeUndefined();
  });
});

describe('a request that gets no answer', () => {
  it('fails with what happened to the connection', async () => {
    const server = net
      .createServer((socket) => socket.once('data', () => socket.destroy()))
      .listen(0, '127.31.7.2');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    await expect(sendRequest({ host: '127.31.7.2', port }, request)).rejects.toThrow(
      /socket hang up|ECONNRESET/,
    );
    server.close();
    await once(server, 'close');
    await expect(sendRequest({ host: '127.31.7.2', port }, request)).rejects.toThrow('ECONNREFUSED');
  });
});
