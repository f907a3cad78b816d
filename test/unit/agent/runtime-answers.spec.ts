import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { inventoryAfter, parseMapList, parseNameList } from '../../../src/agent/runtime/inventory.ts';
import { parseServerConnections } from '../../../src/agent/runtime/parse-server-connections.ts';
import { crtListEntryOf } from '../../fixtures/read-crt-list.ts';
import { mapKeyOf } from '../../../src/agent/runtime/read-map-keys.ts';
import { serverStateOf } from '../../../src/agent/runtime/read-servers-state.ts';
import type { RuntimeInventory } from '../../../src/protocol/wire.ts';
import { parseMasterStatus } from '../../../src/agent/runtime/master-status.ts';
import { parseMapFile } from '../../../src/agent/runtime/parse-map-file.ts';
import { replaceMapCommands } from '../../../src/agent/runtime/replace-map.ts';
import { parseWorkerIdentity, sameWorker } from '../../../src/agent/runtime/worker-identity.ts';
import { limits } from '../../../src/protocol/limits.ts';

describe('a worker’s identity', () => {
  const info =
    'Name: HAProxy\nVersion: 3.4.7-1\nPid: 10120\nUptime_sec: 395.8\nStart_time_sec: 1795985047.654323\n';

  it('is its pid and start time', () => {
    expect(parseWorkerIdentity(info)).toEqual({
      version: '3.4',
      full_version: '3.4.7-1',
      worker_pid: 10120,
      worker_start_time_unix_micros: 1795985047654323,
    });
  });

  it('is not read out of an answer that lacks a part of it', () => {
    expect(parseWorkerIdentity(info.replace(/^Pid.*\n/m, ''))).toBeUndefined();
    expect(parseWorkerIdentity('')).toBeUndefined();
  });

  it('differs when a pid came back with another start time', () => {
    const worker = parseWorkerIdentity(info)!;
    expect(sameWorker(worker, { ...worker })).toBe(true);
    expect(sameWorker(worker, { ...worker, worker_start_time_unix_micros: 1 })).toBe(false);
    expect(sameWorker(worker, { ...worker, worker_pid: 1 })).toBe(false);
  });
});

describe('the master’s status', () => {
  const head = '#<PID>          <type>          <reloads>       <uptime>        <version>      \n';

  it('names the current worker and counts reloads', () => {
    const answer = `${head}10107           master          4 [failed: 2]   0d00h10m38s     2.6.12\n# workers\n17025           worker          0               0d00h00m00s     2.6.12\n# programs\n\n`;
    expect(parseMasterStatus(answer)).toEqual({ reloads: 4, failed: 2, worker: 17025 });
  });

  it('knows that a leaving worker is not the current one', () => {
    const answer = `${head}10113           master          2 [failed: 1]   0d00h10m39s     3.4.7\n# workers\n# old workers\n15112           worker          1               0d00h04m03s     3.4.7\n\n`;
    expect(parseMasterStatus(answer)).toEqual({ reloads: 2, failed: 1, worker: undefined });
  });
});

describe('what a worker has loaded', () => {
  it('lists maps by the path of the configuration', () => {
    const answer =
      "# id (file) description\n0 (maps/b.map) pattern loaded from file 'maps/b.map' used by map at file 'haproxy.cfg' line 17. curr_ver=0\n1 (maps/a.map) pattern loaded from file\n-1 (virt@x) pattern\n\n";
    expect(parseMapList(answer)).toEqual(['maps/a.map', 'maps/b.map', 'virt@x']);
  });

  it('lists names without headings, counts, built-in stores and open transactions', () => {
    const answer =
      '# filename\n@system-ca - 145 certificate(s)\ncerts/ca.pem - 1 certificate(s)\n*certs/new.pem\n\n';
    expect(parseNameList(answer)).toEqual(['certs/ca.pem']);
    expect(parseNameList('Unknown command, but maybe …\n  show x\n')).toEqual([]);
    expect(parseNameList('\n')).toEqual([]);
  });
});

describe('the inventory after operations', () => {
  const before: RuntimeInventory = {
    generation: 4,
    maps: ['m'],
    certs: ['b.pem'],
    ca_files: [],
    crl_files: [],
    crt_lists: ['l'],
  };

  it('has what they loaded, in order, and counts as another one', () => {
    const loads = [
      { store: 'cert', path: 'a.pem' },
      { store: 'ca-file', path: 'ca.pem' },
      { store: 'crl-file', path: 'crl.pem' },
      { store: 'cert', path: 'b.pem' },
    ] as const;
    const operations = loads.map((load) => ({ kind: 'cert_new' as const, commands: [], loads: load }));
    expect(inventoryAfter(before, operations)).toEqual({
      ...before,
      generation: 5,
      certs: ['a.pem', 'b.pem'],
      ca_files: ['ca.pem'],
      crl_files: ['crl.pem'],
    });
  });

  it('is the same when they loaded nothing', () => {
    expect(inventoryAfter(before, [{ kind: 'map_add', commands: [] }])).toBe(before);
  });
});

describe('a row of a dump', () => {
  it('is the key of a map entry', () => {
    expect(mapKeyOf('0x55d0 host.example two words')).toBe('host.example');
    expect(mapKeyOf('0x55d0 lonely')).toBe('lonely');
    expect(mapKeyOf('# id (file) description')).toBeUndefined();
    expect(mapKeyOf('')).toBeUndefined();
  });

  it('is an entry of a crt-list', () => {
    expect(crtListEntryOf('certs/a:b.pem:12 [alpn h2\0 verify none\0] *.a !b.a')).toEqual({
      cert: 'certs/a:b.pem',
      line: 12,
      options: ['alpn', 'h2', 'verify', 'none'],
      sniFilters: ['*.a', '!b.a'],
    });
    expect(crtListEntryOf('certs/a.pem:1 [ssl-min-ver]')?.options).toEqual(['ssl-min-ver']);
    expect(crtListEntryOf('certs/a.pem:1')).toEqual({
      cert: 'certs/a.pem',
      line: 1,
      options: [],
      sniFilters: [],
    });
    for (const odd of ['# certs/list.txt', 'certs/a.pem', 'certs/a.pem:x', ':3', ''])
      expect(crtListEntryOf(odd)).toBeUndefined();
  });

  it('is a server with its address, state and weight', () => {
    const row = '3 app 1 pod-1 10.0.0.1 2 8 7 1 116 1 0 2 0 0 0 0 - 8080 - 0 0 - - 0';
    expect(serverStateOf(row)).toEqual({
      backend: 'app',
      server: 'pod-1',
      address: '10.0.0.1',
      port: 8080,
      admin: 8,
      weight: 7,
    });
    expect(serverStateOf('# be_id be_name')).toBeUndefined();
    expect(serverStateOf('1')).toBeUndefined();
  });

  it('is a server with its connections, by the heading of its line', () => {
    const old =
      '# bkname/svname bkid/svid addr port - purge_delay used_cur used_max need_est unsafe_nb safe_nb idle_lim idle_cur idle_per_thr[2]\nb/s 3/1 127.0.0.1 9 - 5000 1 2 0 0 0 -1 4 2 2\n\n';
    const recent =
      '# bkname/svname bkid/svid addr port - purge_delay served used_cur used_max need_est idle_sess unsafe_nb safe_nb idle_lim idle_cur idle_per_thr[2]\nb/s 3/1 127.0.0.1 9 - 5000 9 1 2 0 0 0 0 -1 4 2 2\n\n';
    for (const answer of [old, recent])
      expect(parseServerConnections(answer)).toEqual([{ server: 'b/s', used: 1, idle: 4 }]);
    expect(parseServerConnections('No such backend.\n')).toEqual([]);
  });

  it('is never the reason for an error, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('0x1', ' ', ':', '1', '[', ']', '#', '/', '\n', 'a', '(', ')', '-'),
        }),
        (text) => {
          for (const read of [
            mapKeyOf,
            crtListEntryOf,
            serverStateOf,
            parseServerConnections,
            parseMapList,
            parseNameList,
            parseWorkerIdentity,
            parseMasterStatus,
          ])
            expect(() => read(text)).not.toThrow();
        },
      ),
      { numRuns: 2000 },
    );
    expect(parseMapList('1 (\n'.repeat(200_000))).toEqual([]);
  });
});

describe('a map file at runtime', () => {
  it('is read as HAProxy reads it', () => {
    expect(parseMapFile(Buffer.from('# heading\n\n  a  one two  \nb\tthree\na four\n'))).toEqual([
      'a one two',
      'b three',
      'a four',
    ]);
  });

  it('is refused when a line cannot be said', () => {
    expect(parseMapFile(Buffer.from('a b\tc \t\r\nd \u00a0e\u3000\n'))).toEqual([
      'a b\tc',
      'd \u00a0e\u3000',
    ]);
    expect(parseMapFile(Buffer.from('a b\rc\n'))).toBeUndefined();
    expect(parseMapFile(Buffer.from('key-without-value\n'))).toBeUndefined();
    expect(parseMapFile(Buffer.from('a\u0001b value\n'))).toBeUndefined();
  });

  it('is replaced in chunks below the payload limit, then committed', () => {
    const entries = Array.from({ length: 5000 }, (_, index) => `key-${String(index)} value`);
    const commands = replaceMapCommands('maps/a.map', 3, entries);
    expect(commands.at(-1)).toEqual({ text: 'commit map @3 maps/a.map', success: 'silent' });
    const chunks = commands.slice(0, -1);
    expect(chunks.flatMap((command) => command.payload ?? [])).toEqual(entries);
    for (const chunk of chunks) {
      expect(chunk.text).toBe('add map @3 maps/a.map');
      expect((chunk.payload ?? []).join('\n').length).toBeLessThan(limits.payloadBytes);
    }
  });

  it('is replaced by an empty one without any chunk', () => {
    expect(replaceMapCommands('m', 1, []).map((command) => command.text)).toEqual(['commit map @1 m']);
  });
});
