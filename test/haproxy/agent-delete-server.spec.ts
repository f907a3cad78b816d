import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDeferredDeletes } from '../../src/agent/runtime/deferred-deletes.ts';
import { readWorkerIdentity } from '../../src/agent/runtime/worker-identity.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import {
  eventually,
  freeAddress,
  globalSection,
  type HaproxyProcess,
  startHaproxy,
} from '../fixtures/haproxy-process.ts';

describeEachLine('a server that was in use', (line) => {
  let haproxy: HaproxyProcess;
  let backend: http.Server;
  let url: string;
  let held: http.ServerResponse[] = [];

  beforeAll(async () => {
    backend = http.createServer({ keepAliveTimeout: 600_000 }, (_request, response) => {
      held.push(response);
    });
    backend.listen(0, '127.0.0.1');
    await once(backend, 'listening');
    const { port } = backend.address() as AddressInfo;
    const { host, port: bind } = await freeAddress();
    url = `http://${host}:${bind}/`;
    haproxy = await startHaproxy(line, {
      config: (baseDir) =>
        [
          globalSection(baseDir),
          'defaults',
          '  mode http',
          '  timeout client 60s',
          '  timeout server 60s',
          '  timeout connect 1s',
          'frontend f',
          `  bind ${host}:${bind}`,
          '  default_backend b',
          'backend b',
          '  balance roundrobin',
          `  server s 127.0.0.1:${port}`,
          '',
        ].join('\n'),
    });
  });
  afterAll(async () => {
    await haproxy.stop();
    backend.closeAllConnections();
    backend.close();
  });

  it('lets what runs go on, is freed at once for its successor afterwards, idle connections or not', async () => {
    const answers = Array.from({ length: 4 }, () => fetch(url).then((response) => response.text()));
    await eventually('all requests arrive', () => (held.length === 4 ? true : undefined));
    expect((await haproxy.cli('set server b/s state maint')).trim()).toBe('');
    const deletes = createDeferredDeletes({
      socket: haproxy.workerSocket,
      drainTimeoutMs: 60_000,
      now: Date.now,
      onOutcome: () => undefined,
    });
    const target = { kind: 'server', backend: 'b', server: 's' } as const;
    await deletes.add(await readWorkerIdentity(haproxy.workerSocket), [target]);
    expect(deletes.pending().servers).toStrictEqual(['b/s']);

    for (const response of held) response.end('done');
    held = [];
    expect(await Promise.all(answers)).toStrictEqual(['done', 'done', 'done', 'done']);
    await eventually('the server can go', async () =>
      (await deletes.admit([target])).ok ? true : undefined,
    );
    expect(deletes.pending().servers).toStrictEqual([]);
    expect(await haproxy.cli('show servers state b')).not.toMatch(/ b 1 s /);
    deletes.stop();
  });
});
