import { expect, it } from 'vitest';
import { readInventory } from '../../src/agent/runtime/inventory.ts';
import { prepareOperations } from '../../src/agent/runtime/prepare-operations.ts';
import { readCrtList } from '../fixtures/read-crt-list.ts';
import { readMapKeys } from '../../src/agent/runtime/read-map-keys.ts';
import { readServersState } from '../../src/agent/runtime/read-servers-state.ts';
import { runOperations } from '../../src/agent/runtime/run-operations.ts';
import { readWorkerIdentity } from '../../src/agent/runtime/worker-identity.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import {
  freeAddress,
  globalSection,
  type HaproxyProcess,
  startHaproxy,
} from '../fixtures/haproxy-process.ts';
import { createTlsPool } from '../fixtures/oracle/tls-pool.ts';

describeEachLine('what a worker has in memory', (line) => {
  const withHaproxy = async (test: (haproxy: HaproxyProcess) => Promise<void>) => {
    const pool = await createTlsPool();
    const { host, port } = await freeAddress();
    const [leaf] = pool.leaves;
    const haproxy = await startHaproxy(line, {
      files: {
        'certs/a.pem': `${leaf?.cert ?? ''}\n${leaf?.key ?? ''}\n`,
        'certs/ca.pem': pool.authorities[0] ?? '',
        'certs/crl.pem': pool.revocations[0] ?? '',
        'certs/list.txt': 'certs/a.pem [alpn h2,http/1.1 ssl-min-ver TLSv1.2] a.example !b.a.example\n',
        'maps/small.map': '/a one\n/b two words\n/a three\n',
        'maps/large.map': Array.from({ length: 20_000 }, (_, i) => `/key-${String(i)} value\n`).join(''),
      },
      config: (baseDir) =>
        [
          globalSection(baseDir),
          'defaults site',
          '  mode http',
          '  timeout client 5s',
          '  timeout server 5s',
          '  timeout connect 1s',
          'frontend f from site',
          `  bind ${host}:${String(port)} ssl crt-list certs/list.txt ca-file certs/ca.pem crl-file certs/crl.pem verify optional`,
          '  http-request set-var(txn.a) path,map(maps/small.map)',
          '  http-request set-var(txn.b) path,map(maps/large.map)',
          '  default_backend b',
          'backend b from site',
          '  server one 127.0.0.1:81 weight 3',
          '  server two [::1]:82 disabled',
          '',
        ].join('\n'),
    });
    try {
      await test(haproxy);
    } finally {
      await haproxy.stop();
    }
  };
  const at = async ({ workerSocket }: HaproxyProcess) => ({
    socket: workerSocket,
    worker: await readWorkerIdentity(workerSocket),
  });

  it('is told by name, without what HAProxy has built in', () =>
    withHaproxy(async (haproxy) => {
      expect(await readInventory(haproxy.workerSocket)).toEqual({
        worker: await readWorkerIdentity(haproxy.workerSocket),
        loaded: {
          maps: ['maps/large.map', 'maps/small.map'],
          certs: ['certs/a.pem'],
          ca_files: ['certs/ca.pem'],
          crl_files: ['certs/crl.pem'],
          crt_lists: ['certs/list.txt'],
        },
      });
    }));

  it('is read back: servers, keys of maps, entries of crt-lists', () =>
    withHaproxy(async (haproxy) => {
      const where = await at(haproxy);
      expect(await readServersState(where, ['b', 'none'])).toEqual({
        kind: 'read',
        value: [
          {
            backend: 'b',
            server: 'one',
            address: '127.0.0.1',
            port: 81,
            admin: 0,
            weight: 3,
          },
          expect.objectContaining({ server: 'two', address: '::1', port: 82, weight: 1 }) as unknown,
        ],
      });
      const small = await readMapKeys(where, 'maps/small.map');
      expect(small.kind === 'read' && [...small.value].sort()).toEqual(['/a', '/a', '/b']);
      const large = await readMapKeys(where, 'maps/large.map');
      expect(large.kind === 'read' && new Set(large.value).size).toBe(20_000);
      expect(await readCrtList(where, 'certs/list.txt')).toEqual({
        kind: 'read',
        value: [
          {
            cert: 'certs/a.pem',
            line: 1,
            options: ['alpn', 'h2,http/1.1', 'ssl-min-ver', 'TLSv1.2'],
            sniFilters: ['a.example', '!b.a.example'],
          },
        ],
      });
    }));

  it('is absent when HAProxy does not know it, unverified when it is too large, and of no use from another worker', () =>
    withHaproxy(async (haproxy) => {
      const where = await at(haproxy);
      expect(await readMapKeys(where, 'maps/none.map')).toEqual({ kind: 'absent' });
      expect(await readCrtList(where, 'certs/none.txt')).toEqual({ kind: 'absent' });
      expect(await readMapKeys({ ...where, maxBytes: 100_000 }, 'maps/large.map')).toEqual({
        kind: 'unverified',
        reason: 'too_large',
      });
      const other = { ...where, worker: { ...where.worker, worker_pid: 1 } };
      await expect(readMapKeys(other, 'maps/small.map')).rejects.toThrow('another worker answered');
    }));

  it('is a replaced map to its last key', () =>
    withHaproxy(async (haproxy) => {
      const where = await at(haproxy);
      const text = Array.from(
        { length: 12_345 },
        (_, i) => `/new-${String(i)} ${'v'.repeat(i % 90)}x\n`,
      ).join('');
      const operation = { kind: 'map_replace', path: 'maps/large.map' } as const;
      const preparation = await prepareOperations([operation], line.line, () =>
        Promise.resolve(Buffer.from(text)),
      );
      if (!preparation.ok) throw new Error(preparation.reason);
      expect(await runOperations(where.socket, where.worker, preparation.ready)).toMatchObject({
        outcome: 'ok',
      });
      const large = await readMapKeys(where, 'maps/large.map');
      expect(large.kind === 'read' && new Set(large.value)).toEqual(
        new Set(Array.from({ length: 12_345 }, (_, i) => `/new-${String(i)}`)),
      );
    }));
});
