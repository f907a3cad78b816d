import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { historyOf } from '../fixtures/oracle/histories.ts';
import { runHistory, type History } from '../fixtures/oracle/run-history.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { startUpstreams, type Upstreams } from '../fixtures/oracle/upstreams.ts';

/** The short form of `./dev soak oracle`, which goes through hundreds of pairs. */
const steps = 5;

describeEachLine('a changed process serves what a fresh one serves', (line) => {
  let pool: TlsPool;
  let upstreams: Upstreams;
  beforeAll(async () => {
    pool = await createTlsPool();
    upstreams = await startUpstreams(pool);
  });
  afterAll(() => upstreams.close());

  it.each([
    [1, 'at once', false],
    [2, 'at once', false],
    [3, 'late, and meanwhile what can be done in place', true],
  ])('through the history of seed %d with reloads %s', async (seed, _when, paced) => {
    const history = historyOf(line.line, seed, steps);
    const figures = await runHistory({ line, pool, upstreams: upstreams.endpoints, paced }, history);
    expect(figures.pairs).toBe(steps + 1);
    if (paced) expect(figures.scheduled).toBeGreaterThan(0);
  });

  it('when servers come whose checks go through TLS and say who asks', async () => {
    const check = [
      { name: 'check', args: [] },
      { name: 'inter', args: ['150ms'] },
    ];
    const secure = [
      { name: 'ssl', args: [] },
      { name: 'verify', args: ['none'] },
    ];
    const server = { up: 1, disabled: false, guid: false };
    const history: History = [
      [],
      [
        { kind: 'server_add', b: 0, server: { ...server, name: 'pod-3', keywords: [...secure, ...check] } },
        {
          kind: 'server_add',
          b: 1,
          server: {
            ...server,
            name: 'pod-3',
            keywords: [{ name: 'send-proxy', args: [] }, ...secure, ...check],
          },
        },
      ],
    ];
    const figures = await runHistory({ line, pool, upstreams: upstreams.endpoints }, history);
    expect(figures.runtime).toBe(1);
  });
});

describe('servers that show how they are connected to', () => {
  let upstreams: Upstreams;
  beforeAll(async () => {
    upstreams = await startUpstreams(await createTlsPool());
  });
  afterAll(() => upstreams.close());

  it.each([
    ['plain', '', undefined, 'up 0 plain'],
    ['the PROXY protocol', 'PROXY UNKNOWN\r\n', undefined, 'up 0 proxy1'],
    ['TLS', '', 'x.example', 'up 0 plain tls TLSv1.3 x.example http/1.1 nobody'],
    [
      'TLS after the PROXY protocol',
      'PROXY UNKNOWN\r\n',
      'x.example',
      'up 0 proxy1 tls TLSv1.3 x.example http/1.1 nobody',
    ],
  ])('answer over %s', async (_name, header, servername, expected) => {
    const [{ address, port } = { address: '', port: 0 }] = upstreams.endpoints;
    const socket = net.connect(port, address);
    if (header !== '') socket.write(header);
    const top =
      servername === undefined
        ? socket
        : tls.connect({ socket, servername, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    top.write('GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n');
    let answer = '';
    top.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(top, 'end');
    top.destroy();
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toContain(expected);
  });
});
