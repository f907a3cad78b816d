import http from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EchoServer, startEchoServer } from '../../../src/sandbox/runtime/echo-server.ts';

const host = '127.0.0.1';
let server: EchoServer;
const url = (path: string) => `http://${host}:${server.port}${path}`;

beforeEach(async () => {
  server = await startEchoServer({ namespace: 'default', pod: 'echo-1', container: 'echo' }, host, 0);
});
afterEach(() => server.close(0));

test('tells who it is and what it saw', async () => {
  const response = await fetch(url('/a/b?c=d'), { method: 'PUT', headers: { 'x-some': 'thing' }, body: 'x' });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-echo-pod')).toBe('echo-1');
  expect(await response.json()).toMatchObject({
    pod: 'echo-1',
    namespace: 'default',
    container: 'echo',
    address: `${host}:${server.port}`,
    method: 'PUT',
    host: `${host}:${server.port}`,
    path: '/a/b?c=d',
    headers: { 'x-some': 'thing' },
  });
});

test('speaks plain text to those who want it', async () => {
  const response = await fetch(url('/p'), { headers: { accept: 'text/plain', 'x-some': 'thing' } });
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const lines = (await response.text()).split('\n');
  expect(lines).toContain('pod: echo-1');
  expect(lines).toContain('path: /p');
  expect(lines).toContain('header x-some: thing');
});

test.each([
  ['/?status=418', 418],
  ['/?status=503', 503],
  ['/?status=99', 200],
  ['/?status=1000000', 200],
  ['/?status=abc', 200],
])('%s is answered with %i', async (path, status) => {
  expect((await fetch(url(path))).status).toBe(status);
});

test('a draining server goes on answering and asks for the connection to be closed', async () => {
  server.drain();
  const response = await fetch(url('/'));
  expect(response.status).toBe(200);
  expect(response.headers.get('connection')).toBe('close');
});

test('closing waits for a running request and cuts one that takes too long', async () => {
  const ended = (path: string) =>
    new Promise<string>((resolve) => {
      const request = http.get(url(path), (response) => {
        response.resume();
        response.on('end', () => resolve('answered'));
      });
      request.on('error', () => resolve('cut'));
    });
  const quick = ended('/?delay=50');
  const slow = ended('/?delay=30000');
  await fetch(url('/'));
  await server.close(500);
  expect(await Promise.all([quick, slow])).toStrictEqual(['answered', 'cut']);
  server = await startEchoServer({ namespace: 'default', pod: 'echo-2', container: 'echo' }, host, 0);
});

test('a taken port is an error that says so', async () => {
  const second = startEchoServer({ namespace: 'default', pod: 'x', container: 'x' }, host, server.port);
  await expect(second).rejects.toThrow(/EADDRINUSE/);
});
