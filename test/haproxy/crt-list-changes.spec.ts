import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import tls from 'node:tls';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { prepareOperations } from '../../src/agent/runtime/prepare-operations.ts';
import { runOperations } from '../../src/agent/runtime/run-operations.ts';
import { readWorkerIdentity } from '../../src/agent/runtime/worker-identity.ts';
import { getEntry } from '../../src/lib/ordered-map.ts';
import { isVersionAtLeast } from '../../src/lib/is-version-at-least.ts';
import { crtListOptions } from '../../src/plan/crt-list-operations.ts';
import { diff } from '../../src/plan/diff.ts';
import { baselineOf } from '../fixtures/baseline.ts';
import { crtListFacts, parseCrtList } from '../fixtures/crt-list-facts.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import {
  freeAddress,
  globalSection,
  type HaproxyProcess,
  startHaproxy,
} from '../fixtures/haproxy-process.ts';
import { makePlan, type CertificateSketch, type Sketch } from '../fixtures/make-plan.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';

const list = 'ssl/list.txt';
const names = ['a', 'b', 'c', 'd'] as const;
type Name = (typeof names)[number];

/** An argument that the option takes; those that name a file get one. */
const argument: Readonly<Record<string, string>> = {
  alpn: 'h2,http/1.1',
  'ca-file': 'ssl/ca.pem',
  'ca-verify-file': 'ssl/ca.pem',
  ciphers: 'ALL',
  ciphersuites: 'TLS_AES_128_GCM_SHA256',
  'client-sigalgs': 'RSA-PSS+SHA256',
  'crl-file': 'ssl/crl.pem',
  curves: 'X25519',
  ecdhe: 'prime256v1',
  npn: 'http/1.1',
  sigalgs: 'ECDSA+SHA256',
  'ssl-max-ver': 'TLSv1.3',
  'ssl-min-ver': 'TLSv1.2',
  verify: 'none',
};

describeEachLine('crt-lists changed as the plan says', (line) => {
  let pool: TlsPool;
  let haproxy: HaproxyProcess;
  let bind: { host: string; port: number };
  let held: Sketch;

  const sketch = (...entries: CertificateSketch[]): Sketch => ({
    core: { global: 'global\n' },
    crtLists: { [list]: entries },
    files: {
      ...Object.fromEntries(names.map((name, at) => [`ssl/${name}.pem`, { kind: 'cert', text: pemOf(at) }])),
      'ssl/ca.pem': { kind: 'ca', text: `${pool.authorities[0] ?? ''}\n` },
      'ssl/crl.pem': { kind: 'crl', text: `${pool.revocations[0] ?? ''}\n` },
    },
  });
  /** Two certificates of each kind are in the pool, side by side. */
  const leaf = (at: number) => {
    const found = pool.leaves[at * 2];
    if (found === undefined) throw new Error(`the pool has no certificate ${at}`);
    return found;
  };
  const pemOf = (at: number) =>
    `${leaf(at).cert}\n${leaf(at).chain}\n${leaf(at).key}\n`.replace(/\n+/g, '\n');
  const entry = (name: Name, ...sniFilters: string[]): CertificateSketch => ({
    certificate: `ssl/${name}.pem`,
    sniFilters,
  });

  beforeAll(async () => {
    pool = await createTlsPool();
  });
  beforeEach(async () => {
    bind = await freeAddress();
    held = sketch(entry('a'), entry('b', 'b.example'));
    const plan = makePlan(held);
    const text = (path: string) =>
      Buffer.concat([...(getEntry(plan.files, path)?.content() ?? [])]).toString();
    haproxy = await startHaproxy(line, {
      files: Object.fromEntries(['ssl/a.pem', 'ssl/b.pem', list].map((path) => [path, text(path)])),
      config: (baseDir) =>
        [
          globalSection(baseDir),
          'defaults',
          '  mode http',
          '  timeout client 5s',
          '  timeout server 5s',
          '  timeout connect 1s',
          'frontend f',
          `  bind ${bind.host}:${String(bind.port)} ssl crt-list ${list}`,
          '  http-request return status 200',
          '',
        ].join('\n'),
    });
    return () => haproxy.stop();
  });

  /** What the worker has loaded, as its agent would report. */
  const loaded = async () => {
    const lines = async (what: string) =>
      (await haproxy.cli(`show ssl ${what}`))
        .split('\n')
        .filter((name) => name !== '' && !/^[#@]/.test(name));
    const plain = (name: string) => name.replace(/ - .*$/, '');
    return {
      generation: 0,
      maps: [],
      certs: await lines('cert'),
      ca_files: (await lines('ca-file')).map(plain),
      crl_files: (await lines('crl-file')).map(plain),
      crt_lists: await lines('crt-list'),
    };
  };
  const change = async (...entries: CertificateSketch[]) => {
    const next = makePlan(sketch(...entries));
    const decision = diff(next, baselineOf(makePlan(held), line.line, { inventory: await loaded() }));
    expect(decision.reasons).toEqual([]);
    const operations = decision.batches.flat();
    const preparation = await prepareOperations(operations, line.line, (path) =>
      Promise.resolve(Buffer.concat([...(getEntry(next.files, path)?.content() ?? [])])),
    );
    if (!preparation.ok) throw new Error(preparation.reason);
    const worker = await readWorkerIdentity(haproxy.workerSocket);
    const outcome = await runOperations(haproxy.workerSocket, worker, preparation.ready);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ outcome: 'ok' });
    held = sketch(...entries);
    return operations.map(({ kind }) => kind);
  };
  const facts = async () => crtListFacts(parseCrtList(await haproxy.cli(`show ssl crt-list -n ${list}`)));
  const wanted = (...entries: CertificateSketch[]) =>
    crtListFacts(
      entries.map(({ options = [], sniFilters = [], certificate }) => ({ certificate, options, sniFilters })),
    );
  /** Whose certificate a client of this name is shown. */
  const served = async (servername: string): Promise<Name | undefined> => {
    const socket = tls.connect({ host: bind.host, port: bind.port, servername, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const serial = socket.getPeerX509Certificate()?.serialNumber;
    socket.destroy();
    return names.find((_name, at) => new X509Certificate(leaf(at).cert).serialNumber === serial);
  };

  it('serves a new certificate, listed amid others, at once, and not any more when it goes', async () => {
    expect(await served('c.example')).toBe('a');
    const amid = [entry('a'), entry('c', 'c.example'), entry('b', 'b.example')];
    expect(await change(...amid)).toEqual(['cert_new', 'crtlist_add']);
    expect(await Promise.all(['b.example', 'c.example', 'x.example'].map(served))).toEqual(['b', 'c', 'a']);
    expect(await facts()).toEqual(wanted(...amid));
    expect(await change(entry('a'), entry('b', 'b.example'))).toEqual(['crtlist_del']);
    expect(await served('c.example')).toBe('a');
    expect(await change(...amid)).toEqual(['crtlist_add']);
    expect(await served('c.example')).toBe('c');
  });

  it('changes names and options of an entry by a new one and the deletion of the oldest', async () => {
    const more = [entry('a'), { ...entry('b', 'b.example', '*.b.example'), options: ['alpn', 'h2'] }];
    expect(await change(...more)).toEqual(['crtlist_add', 'crtlist_del']);
    expect(await facts()).toEqual(wanted(...more));
    expect(await Promise.all(['b.example', 'x.b.example', 'c.example'].map(served))).toEqual(['b', 'b', 'a']);
    const other = [entry('a'), entry('b', 'c.example')];
    await change(...other);
    expect(await facts()).toEqual(wanted(...other));
    expect(await Promise.all(['b.example', 'c.example'].map(served))).toEqual(['a', 'b']);
  });

  it('passes a name from one certificate to another', async () => {
    await change(entry('a'), entry('d', 'b.example'));
    expect(await served('b.example')).toBe('d');
    expect(await facts()).toEqual(wanted(entry('a'), entry('d', 'b.example')));
  });

  it.each(Object.entries(crtListOptions).filter(([, { since }]) => isVersionAtLeast(line.line, since)))(
    'takes the option %s at runtime',
    async (name, rule) => {
      const options = rule.argument === 'none' ? [name] : [name, argument[name] ?? ''];
      const certificate = { ...entry('c', 'c.example'), options };
      await change(entry('a'), entry('b', 'b.example'), certificate);
      expect((await facts()).entries).toHaveLength(3);
      expect((await facts()).byName['c.example']).toHaveLength(1);
    },
  );

  it.each(Object.entries(crtListOptions).filter(([, { since }]) => !isVersionAtLeast(line.line, since)))(
    'reloads for the option %s, which HAProxy refuses',
    async (name, rule) => {
      const options = rule.argument === 'none' ? [name] : [name, argument[name] ?? ''];
      const next = makePlan(
        sketch(entry('a'), entry('b', 'b.example'), { ...entry('b', 'c.example'), options }),
      );
      const decision = diff(next, baselineOf(makePlan(held), line.line, { inventory: await loaded() }));
      expect(decision.reasons).toEqual([
        expect.stringContaining(`its option "${name}" is not for`) as string,
      ]);
      const command = `add ssl crt-list ${list} <<\nssl/b.pem [${options.join(' ')}] c.example\n`;
      expect(await haproxy.cli(command)).not.toContain('Success!');
    },
  );
});
