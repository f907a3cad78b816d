import { expect, it } from 'vitest';
import { isVersionAtLeast } from '../../src/lib/is-version-at-least.ts';
import { prepareOperations } from '../../src/agent/runtime/prepare-operations.ts';
import { readMapKeys } from '../../src/agent/runtime/read-map-keys.ts';
import { runOperations } from '../../src/agent/runtime/run-operations.ts';
import { readWorkerIdentity } from '../../src/agent/runtime/worker-identity.ts';
import type { Operation } from '../../src/protocol/operation.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually, type HaproxyProcess, startHaproxy } from '../fixtures/haproxy-process.ts';

const path = 'maps/a.map';

describeEachLine('operations that do not come through', (line) => {
  const config = (globals: readonly string[]) => (baseDir: string) =>
    [
      'global',
      `  default-path origin ${baseDir}`,
      `  stats socket ${baseDir}/haproxy-worker.sock mode 600 level admin`,
      ...globals.map((text) => `  ${text}`),
      'defaults',
      '  mode http',
      '  timeout client 5s',
      '  timeout server 5s',
      '  timeout connect 1s',
      'frontend f',
      `  bind ${baseDir}/f.sock`,
      `  http-request set-var(txn.a) path,map(${path})`,
      '',
    ].join('\n');
  const withHaproxy = async (
    globals: readonly string[],
    test: (haproxy: HaproxyProcess) => Promise<void>,
  ) => {
    const haproxy = await startHaproxy(line, { config: config(globals), files: { [path]: '/old value\n' } });
    try {
      await test(haproxy);
    } finally {
      await haproxy.stop();
    }
  };
  const ready = async (content: string, operations: readonly Operation[]) => {
    const preparation = await prepareOperations(operations, line.line, () =>
      Promise.resolve(Buffer.from(content)),
    );
    if (!preparation.ok) throw new Error(preparation.reason);
    return preparation.ready;
  };
  const many = Array.from({ length: 3_000 }, (_, i) => `/new-${String(i)} value\n`).join('');
  const replace: Operation = { kind: 'map_replace', path };

  it('because HAProxy was given buffers smaller than a payload change nothing; from 3.4 on they come through', () =>
    withHaproxy(['tune.bufsize 8192', 'tune.maxrewrite 512'], async ({ workerSocket: socket }) => {
      const worker = await readWorkerIdentity(socket);
      const run = await runOperations(socket, worker, await ready(many, [replace]));
      const isDone = isVersionAtLeast(line.line, '3.4');
      expect(run.outcome === 'ok').toBe(isDone);
      expect(run.results).toMatchObject([{ kind: 'map_replace', ok: isDone }]);
      const keys = await readMapKeys({ socket, worker }, path);
      expect(keys.kind === 'read' && keys.value.length).toBe(isDone ? 3_000 : 1);
    }));

  it('because HAProxy dies in their middle do not count, and nothing hangs', () =>
    withHaproxy([], async (haproxy) => {
      const socket = haproxy.workerSocket;
      const worker = await readWorkerIdentity(socket);
      const operations = await ready(
        many,
        Array.from({ length: 200 }, () => replace),
      );
      const running = runOperations(socket, worker, operations);
      await eventually('the first map is there', async () =>
        (await haproxy.cli('show map')).includes('entry_cnt=3000') ? true : undefined,
      );
      await haproxy.kill();
      const run = await running;
      expect(run).toMatchObject({ outcome: 'worker_changed', reason: 'worker_changed' });
      expect(run.results).toHaveLength(200);
      expect(run.results.at(-1)?.ok).toBe(false);
    }));

  it('because a map is not known are refused by name', () =>
    withHaproxy([], async ({ workerSocket: socket }) => {
      const worker = await readWorkerIdentity(socket);
      for (const operation of [
        { kind: 'map_replace', path: 'maps/none.map' },
        { kind: 'map_add', path: 'maps/none.map', key: 'k', value: 'v' },
        { kind: 'map_set', path, key: '/none', value: 'v' },
        { kind: 'server_add', backend: 'none', server: 's', address: '127.0.0.1', port: 9, keywords: [] },
        { kind: 'server_enable', backend: 'f', server: 's' },
      ] as const) {
        const run = await runOperations(socket, worker, await ready(many, [operation]));
        expect(run).toMatchObject({ outcome: 'rejected', reason: 'op_rejected', results: [{ ok: false }] });
        expect(run.results[0]?.output).not.toBe('');
      }
      expect(await readMapKeys({ socket, worker }, path)).toEqual({ kind: 'read', value: ['/old'] });
    }));
});
