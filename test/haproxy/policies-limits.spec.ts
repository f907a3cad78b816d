import net from 'node:net';
import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { eventually, freeAddress } from '../fixtures/haproxy-process.ts';
import { rawRequest } from '../fixtures/raw-http.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

const minute = { 'limit-period': '1m' };

describeEachLine('rate limits', (line) => {
  const bind = setUp(() => freeAddress());
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        annotatedIngress('address.example.com', { 'limit-requests': '3', ...minute }),
        annotatedIngress('twin.example.com', { 'limit-requests': '3', ...minute }),
        annotatedIngress('second.example.com', { 'limit-rps': '2' }),
        annotatedIngress('header.example.com', {
          'limit-requests': '2',
          'limit-by': 'header:X-Api-Key',
          'limit-status-code': '503',
          ...minute,
        }),
        annotatedIngress('path.example.com', { 'limit-requests': '2', 'limit-by': 'path', ...minute }),
        annotatedIngress('listed.example.com', {
          'limit-requests': '1',
          'limit-whitelist': '10.0.0.0/8, fd00::/16',
          ...minute,
        }),
        annotatedIngress('many.example.com', { 'limit-connections': '2' }),
        annotatedIngress('both.example.com', { 'limit-rps': '2', 'limit-requests': '2' }),
        annotatedIngress('free.example.com', {}),
      ],
      {
        snippets: { 'frontend-http-900-proxied': `    bind ${bind.host}:${bind.port} accept-proxy\n` },
        extraContext: { limits: { tableSize: 1_000 } },
      },
    ),
  );
  const ask = async (
    host: string,
    client: string,
    more: { headers?: string[]; target?: string; method?: string } = {},
  ) => {
    const protocol = client.includes(':') ? `TCP6 ${client} ::1` : `TCP4 ${client} 127.0.0.1`;
    const before = `PROXY ${protocol} 5000 80\r\n`;
    const { status } = await rawRequest(bind, { host: `${host}.example.com`, before, ...more });
    return status;
  };
  const several = async (times: number, ...args: Parameters<typeof ask>) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i += 1) statuses.push(await ask(...args));
    return statuses;
  };

  it('count by address and by rule', async () => {
    expect(await several(5, 'address', '192.0.2.1')).toEqual([200, 200, 200, 429, 429]);
    expect(await several(3, 'address', '192.0.2.2')).toEqual([200, 200, 200]);
    expect(await several(3, 'twin', '192.0.2.1')).toEqual([200, 200, 200]);
    expect(await several(5, 'free', '192.0.2.1')).toEqual([200, 200, 200, 200, 200]);
  });

  it('count IPv4 as IPv4 and the first half of IPv6', async () => {
    expect(await several(2, 'address', '192.0.2.9')).toEqual([200, 200]);
    expect(await several(2, 'address', '::ffff:192.0.2.9')).toEqual([200, 429]);
    expect(await several(2, 'address', '2001:db8::1')).toEqual([200, 200]);
    expect(await several(2, 'address', '2001:db8::ffff:0:1')).toEqual([200, 429]);
    expect(await several(1, 'address', '2001:db8:0:1::1')).toEqual([200]);
  });

  it('let a client in again when its second is over', async () => {
    await eventually('a refused request', async () =>
      (await ask('second', '192.0.2.3')) === 429 ? true : undefined,
    );
    await eventually('a request let in', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return (await ask('second', '192.0.2.3')) === 200 ? true : undefined;
    });
  });

  it('count by the value of a header, and by address without it', async () => {
    const key = (value: string) => ({ headers: [`X-Api-Key: ${value}`] });
    expect(await several(3, 'header', '192.0.2.4', key('one'))).toEqual([200, 200, 503]);
    expect(await several(1, 'header', '192.0.2.5', key('one'))).toEqual([503]);
    expect(await several(1, 'header', '192.0.2.4', key('two'))).toEqual([200]);
    expect(await several(3, 'header', '192.0.2.4')).toEqual([200, 200, 503]);
    // Its value is no address.
    expect(await several(1, 'header', '192.0.2.6', key('192.0.2.4'))).toEqual([200]);
    // What comes after many equal characters counts.
    expect(await several(2, 'header', '192.0.2.6', key(`${'x'.repeat(3_000)}a`))).toEqual([200, 200]);
    expect(await several(1, 'header', '192.0.2.6', key(`${'x'.repeat(3_000)}b`))).toEqual([200]);
  });

  it('count by path', async () => {
    expect(await several(2, 'path', '192.0.2.4', { target: '/a' })).toEqual([200, 200]);
    expect(await several(1, 'path', '192.0.2.5', { target: '/a?x=1' })).toEqual([429]);
    expect(await several(2, 'path', '192.0.2.5', { target: '/b' })).toEqual([200, 200]);
    // Spellings that are matched as one path.
    for (const target of ['//b', '///b?x', '/%62', '/./b', '/a/../b'])
      expect([target, ...(await several(1, 'path', '192.0.2.5', { target }))]).toEqual([target, 429]);
    // What has none counts as for the root.
    expect(await several(2, 'path', '192.0.2.5')).toEqual([200, 200]);
    expect(await several(1, 'path', '192.0.2.5', { target: 'http://path.example.com' })).toEqual([429]);
    expect(await several(1, 'path', '192.0.2.5', { target: '*', method: 'OPTIONS' })).toEqual([429]);
  });

  it('count nothing of those who may ask as much as they like', async () => {
    for (const client of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:0:0:1::7'])
      expect(await several(4, 'listed', client)).toEqual([200, 200, 200, 200]);
    expect(await several(2, 'listed', '192.0.2.4')).toEqual([200, 429]);
  });

  it('count requests that are open', async () => {
    const open = (client: string) => {
      const socket = net.connect(bind.port, bind.host);
      const head = 'POST / HTTP/1.1\r\nHost: many.example.com\r\nContent-Length: 10\r\n\r\n';
      socket.write(`PROXY TCP4 ${client} 127.0.0.1 5000 80\r\n${head}`);
      return socket;
    };
    const sockets = [open('192.0.2.4'), open('192.0.2.4')];
    await eventually('both are counted', async () =>
      /conn_cur=2 /.test(await world.haproxy.cli('show table haptic-limits-address-1s')) ? true : undefined,
    );
    expect(await ask('many', '192.0.2.4')).toBe(429);
    expect(await ask('many', '192.0.2.5')).toBe(200);
    for (const socket of sockets) socket.destroy();
    await eventually('they are let in again', async () =>
      (await ask('many', '192.0.2.4')) === 200 ? true : undefined,
    );
  });

  it('close routes whose limits cannot be understood', async () => {
    expect(await ask('both', '192.0.2.4')).toBe(503);
  });

  it('change without a reload', async () => {
    world.put(annotatedIngress('address.example.com', { 'limit-requests': '1', ...minute }));
    expect(new Set(await world.changeFrom(world.started)).size).toBeGreaterThan(0);
    expect(await several(2, 'address', '198.51.100.1')).toEqual([200, 429]);
  });
});
