import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import tls from 'node:tls';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isVersionAtLeast } from '../../src/lib/is-version-at-least.ts';
import { executableKinds } from '../../src/agent/runtime/executable-kinds.ts';
import { prepareOperations } from '../../src/agent/runtime/prepare-operations.ts';
import { reloadHaproxy } from '../../src/agent/runtime/reload-haproxy.ts';
import { runOperations } from '../../src/agent/runtime/run-operations.ts';
import { readWorkerIdentity } from '../../src/agent/runtime/worker-identity.ts';
import type { Operation } from '../../src/protocol/operation.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import {
  freeAddress,
  globalSection,
  type HaproxyProcess,
  startHaproxy,
} from '../fixtures/haproxy-process.ts';
import { createTlsPool, type TlsLeaf, type TlsPool } from '../fixtures/oracle/tls-pool.ts';

const list = 'certs/list.txt';
const pemOf = (leaf: TlsLeaf | undefined) =>
  leaf === undefined ? '' : `${leaf.cert}\n${leaf.chain}\n${leaf.key}\n`;

describeEachLine('TLS files at runtime', (line) => {
  let pool: TlsPool;
  let haproxy: HaproxyProcess;
  let bind: { host: string; port: number };
  /** What the apply leaves on disk. */
  let files: Record<string, string>;

  beforeAll(async () => {
    pool = await createTlsPool();
  });
  beforeEach(async () => {
    bind = await freeAddress();
    files = {
      'certs/a.pem': pemOf(pool.leaves[2]),
      'certs/b.pem': pemOf(pool.leaves[8]),
      'certs/ca.pem': pool.authorities[1] ?? '',
      'certs/crl.pem': pool.revocations[0] ?? '',
      [list]: 'certs/a.pem [alpn h2] a.example\ncerts/b.pem\n',
    };
    haproxy = await startHaproxy(line, {
      files,
      config: (baseDir) =>
        [
          globalSection(baseDir),
          'defaults site',
          '  mode http',
          '  timeout client 5s',
          '  timeout server 5s',
          '  timeout connect 1s',
          'frontend f from site',
          `  bind ${bind.host}:${String(bind.port)} ssl crt-list ${list} ca-file certs/ca.pem verify optional crt-ignore-err all`,
          '  http-request return status 200 content-type text/plain lf-string "verify=%[ssl_c_verify]"',
          '',
        ].join('\n'),
    });
    return () => haproxy.stop();
  });

  const contentOf = (path: string) =>
    Promise.resolve(files[path] === undefined ? undefined : Buffer.from(files[path]));
  const prepare = async (...operations: Operation[]) => prepareOperations(operations, line.line, contentOf);
  const run = async (...operations: Operation[]) => {
    const preparation = await prepare(...operations);
    if (!preparation.ok) throw new Error(preparation.reason);
    return runOperations(
      haproxy.workerSocket,
      await readWorkerIdentity(haproxy.workerSocket),
      preparation.ready,
    );
  };
  const must = async (...operations: Operation[]) => {
    const outcome = await run(...operations);
    expect(outcome).toMatchObject({ outcome: 'ok', results: operations.map(() => ({ ok: true })) });
  };

  /** Serial number that a client of this name is shown, and what HAProxy thinks of the client's own certificate. */
  const visit = async (servername: string, client?: { cert: string; key: string }) => {
    const socket = tls.connect({
      host: bind.host,
      port: bind.port,
      servername,
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      ...client,
    });
    await once(socket, 'secureConnect');
    const serial = socket.getPeerX509Certificate()?.serialNumber.replace(/^0+/, '');
    socket.write(`GET / HTTP/1.1\r\nhost: ${servername}\r\nconnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return { serial, verify: /verify=(\d+)/.exec(answer)?.[1] };
  };
  const serialOf = (leaf: TlsLeaf | undefined) => {
    if (leaf === undefined) throw new Error('the pool has no such certificate');
    return new X509Certificate(leaf.cert).serialNumber.replace(/^0+/, '');
  };
  const names = async (what: string) =>
    (await haproxy.cli(`show ssl ${what}`)).split('\n').filter((name) => name !== '' && !/^[#@]/.test(name));
  const entries = async () =>
    (await haproxy.cli(`show ssl crt-list -n ${list}`))
      .split('\n')
      .filter((entry) => entry !== '' && !entry.startsWith('#'))
      .map((entry) => entry.replace(/\0/g, ''));

  it('a renewed certificate is served to the next client, whatever stands between its PEM blocks', async () => {
    expect((await visit('a.example')).serial).toBe(serialOf(pool.leaves[2]));
    for (const leaf of [pool.leaves[3], pool.leaves[2], pool.leaves[3]]) {
      files['certs/a.pem'] = `Bag Attributes\n\n${pemOf(leaf)}\n\n`.replace(/\n/g, '\r\n');
      await must({ kind: 'cert_set', path: 'certs/a.pem' });
      expect((await visit('a.example')).serial).toBe(serialOf(leaf));
    }
    expect(await names('cert')).toEqual(['certs/a.pem', 'certs/b.pem']);
  });

  it('a new certificate is served under the names of its entry, with its options, until that is deleted', async () => {
    files['certs/new.pem'] = pemOf(pool.leaves[4]);
    expect((await visit('x.wild.example')).serial).not.toBe(serialOf(pool.leaves[4]));
    await must(
      { kind: 'cert_new', path: 'certs/new.pem' },
      {
        kind: 'crtlist_add',
        path: list,
        cert: 'certs/new.pem',
        options: ['alpn', 'h2,http/1.1', 'ssl-min-ver TLSv1.2'],
        sni_filters: ['*.wild.example', '!y.wild.example'],
      },
    );
    expect((await visit('x.wild.example')).serial).toBe(serialOf(pool.leaves[4]));
    expect((await visit('y.wild.example')).serial).not.toBe(serialOf(pool.leaves[4]));
    expect(await entries()).toEqual([
      'certs/a.pem:1 [alpn h2] a.example',
      'certs/b.pem:2',
      'certs/new.pem:3 [alpn h2,http/1.1 ssl-min-ver TLSv1.2] *.wild.example !y.wild.example',
    ]);
    files['certs/new.pem'] = pemOf(pool.leaves[5]);
    await must({ kind: 'cert_set', path: 'certs/new.pem' });
    expect((await visit('x.wild.example')).serial).toBe(serialOf(pool.leaves[5]));
    await must({ kind: 'crtlist_del', path: list, cert: 'certs/new.pem' });
    expect((await visit('x.wild.example')).serial).not.toBe(serialOf(pool.leaves[5]));
  });

  it('an entry of a certificate that is listed more than once is deleted by its line', async () => {
    const add = (name: string): Operation => ({
      kind: 'crtlist_add',
      path: list,
      cert: 'certs/b.pem',
      options: [],
      sni_filters: [name],
    });
    await must(add('one.example'), add('two.example'));
    await must({ kind: 'crtlist_del', path: list, cert: 'certs/b.pem', line: 3 });
    expect(await entries()).toEqual([
      'certs/a.pem:1 [alpn h2] a.example',
      'certs/b.pem:2',
      'certs/b.pem:4 two.example',
    ]);
  });

  it('the oldest entries of a certificate are deleted where no line is given, each once', async () => {
    const add = (name: string): Operation => ({
      kind: 'crtlist_add',
      path: list,
      cert: 'certs/b.pem',
      options: [],
      sni_filters: [name],
    });
    const oldest: Operation = { kind: 'crtlist_del', path: list, cert: 'certs/b.pem' };
    await must(add('one.example'), add('two.example'), add('three.example'), oldest, oldest);
    expect(await entries()).toEqual([
      'certs/a.pem:1 [alpn h2] a.example',
      'certs/b.pem:4 two.example',
      'certs/b.pem:5 three.example',
    ]);
    await must(oldest, oldest);
    expect(await entries()).toEqual(['certs/a.pem:1 [alpn h2] a.example']);
    expect(await run(oldest)).toMatchObject({ outcome: 'rejected' });
    expect(await run({ ...oldest, cert: 'certs/a.pem' })).toMatchObject({
      outcome: 'rejected',
      results: [{ output: expect.stringContaining('used as default certificate') as string }],
    });
  });

  const replaceable = isVersionAtLeast(line.line, '3.2');
  if (replaceable)
    describe('where they can be replaced', () => {
      it('another CA file verifies other clients, and certificates can still be renewed', async () => {
        const [first] = pool.clients;
        expect((await visit('a.example', first)).verify).not.toBe('0');
        files['certs/ca.pem'] = pool.authorities[0] ?? '';
        await must({ kind: 'ca_set', path: 'certs/ca.pem' });
        expect((await visit('a.example', first)).verify).toBe('0');
        files['certs/a.pem'] = pemOf(pool.leaves[3]);
        await must({ kind: 'cert_set', path: 'certs/a.pem' });
        expect((await visit('a.example', first)).serial).toBe(serialOf(pool.leaves[3]));
      });

      it('another CRL file turns clients away whose certificate it names, and certificates can still be renewed', async () => {
        files['certs/ca2.pem'] = pool.authorities[0] ?? '';
        files['certs/crl2.pem'] = pool.revocations[0] ?? '';
        files['certs/new.pem'] = pemOf(pool.leaves[10]);
        const options = ['verify', 'optional', 'ca-file', 'certs/ca2.pem', 'crl-file', 'certs/crl2.pem'];
        await must(
          { kind: 'ca_new', path: 'certs/ca2.pem' },
          { kind: 'crl_new', path: 'certs/crl2.pem' },
          { kind: 'cert_new', path: 'certs/new.pem' },
          {
            kind: 'crtlist_add',
            path: list,
            cert: 'certs/new.pem',
            options,
            sni_filters: ['x.wild.example'],
          },
        );
        const [first] = pool.clients;
        expect((await visit('x.wild.example', first)).verify).toBe('0');
        files['certs/crl2.pem'] = pool.revocations[1] ?? '';
        await must({ kind: 'crl_set', path: 'certs/crl2.pem' });
        expect((await visit('x.wild.example', first)).verify).not.toBe('0');
        files['certs/new.pem'] = pemOf(pool.leaves[11]);
        await must({ kind: 'cert_set', path: 'certs/new.pem' });
        expect((await visit('x.wild.example', first)).serial).toBe(serialOf(pool.leaves[11]));
      });
    });

  if (!replaceable)
    describe('where a replaced CA file would freeze certificates', () => {
      it('CA and CRL files are not replaced: the operation is refused before anything runs', async () => {
        expect(executableKinds(line.line)).not.toContain('ca_set');
        for (const kind of ['ca_set', 'crl_set'] as const)
          expect(await prepare({ kind, path: 'certs/ca.pem' })).toEqual({
            ok: false,
            reason: `unknown_op: ${kind} (file): the agent does not execute it on HAProxy ${line.line}`,
          });
      });
    });

  it('new CA and CRL files are at hand for new entries', async () => {
    files['certs/ca2.pem'] = pool.authorities[0] ?? '';
    files['certs/crl2.pem'] = pool.revocations[1] ?? '';
    files['certs/new.pem'] = pemOf(pool.leaves[10]);
    await must(
      { kind: 'ca_new', path: 'certs/ca2.pem' },
      { kind: 'crl_new', path: 'certs/crl2.pem' },
      { kind: 'cert_new', path: 'certs/new.pem' },
      {
        kind: 'crtlist_add',
        path: list,
        cert: 'certs/new.pem',
        options: ['verify', 'optional', 'ca-file', 'certs/ca2.pem', 'crl-file', 'certs/crl2.pem'],
        sni_filters: ['x.wild.example'],
      },
    );
    expect((await visit('x.wild.example')).serial).toBe(serialOf(pool.leaves[10]));
    const revoked = await visit('x.wild.example', pool.clients[0]);
    expect(revoked.verify).not.toBe('0');
    expect(await names('crl-file')).toContain('certs/crl2.pem');
  });

  it('a CA file larger than a payload goes in pieces, where HAProxy can, and is refused whole where it cannot', async () => {
    files['certs/many.pem'] = Array.from({ length: 60 }, (_, i) => pool.authorities[i % 2]).join('\n');
    if (line.line === '2.6') {
      const preparation = await prepare({ kind: 'ca_new', path: 'certs/many.pem' });
      expect(preparation).toMatchObject({ ok: false });
      expect(!preparation.ok && preparation.reason).toContain('payload_too_large: ca_new (certs/many.pem)');
      return;
    }
    await must({ kind: 'ca_new', path: 'certs/many.pem' });
    expect(await names('ca-file')).toContain('certs/many.pem - 2 certificate(s)');
  });

  it('a certificate larger than a payload is refused before anything runs', async () => {
    files['certs/a.pem'] =
      pemOf(pool.leaves[3]) + Array.from({ length: 40 }, () => pool.authorities[0]).join('\n');
    const preparation = await prepare({ kind: 'cert_set', path: 'certs/a.pem' });
    expect(!preparation.ok && preparation.reason).toContain('payload_too_large: cert_set (certs/a.pem)');
    expect(await names('cert')).toEqual(['certs/a.pem', 'certs/b.pem']);
  });

  describe('a refused change leaves no transaction open and the former certificate in place', () => {
    const intact = async () => {
      expect(await names('cert')).toEqual(['certs/a.pem', 'certs/b.pem']);
      expect(await names('ca-file')).toEqual(['certs/ca.pem - 1 certificate(s)']);
      expect((await visit('a.example')).serial).toBe(serialOf(pool.leaves[2]));
      files['certs/a.pem'] = pemOf(pool.leaves[3]);
      await must({ kind: 'cert_set', path: 'certs/a.pem' });
    };
    const foreignKey = () => `${pool.leaves[3]?.cert ?? ''}\n${pool.leaves[6]?.key ?? ''}\n`;
    const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

    it.each<[string, Operation['kind'] & ('cert_set' | 'cert_new' | 'ca_new'), string, () => string]>([
      ['a key of another certificate', 'cert_set', 'certs/a.pem', foreignKey],
      ['a certificate without a key', 'cert_set', 'certs/a.pem', () => pool.leaves[3]?.cert ?? ''],
      ['what is no certificate', 'cert_set', 'certs/a.pem', () => garbage],
      ['a new one that cannot be loaded', 'cert_new', 'certs/new.pem', foreignKey],
      ['a new name that is taken', 'cert_new', 'certs/b.pem', () => pemOf(pool.leaves[8])],
      ['a name that is not loaded', 'cert_set', 'certs/none.pem', () => pemOf(pool.leaves[8])],
      ['a new CA file without a certificate', 'ca_new', 'certs/ca2.pem', () => garbage],
    ])('%s', async (_what, kind, path, content) => {
      files[path] = content();
      const outcome = await run({ kind, path }, { kind: 'crtlist_del', path: list, cert: 'certs/b.pem' });
      expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'op_rejected' });
      expect(outcome.results.map(({ ok }) => ok)).toEqual([false, false]);
      await intact();
    });

    it('an entry of a certificate that is not loaded, an unknown option, the list’s default', async () => {
      const add = { kind: 'crtlist_add', path: list, sni_filters: [] } as const;
      const refused: Operation[] = [
        { ...add, cert: 'certs/none.pem', options: [] },
        { ...add, cert: 'certs/b.pem', options: ['bogus', 'x'] },
        { ...add, path: 'certs/none.txt', cert: 'certs/b.pem', options: [] },
        { kind: 'crtlist_del', path: list, cert: 'certs/a.pem' },
        { kind: 'crtlist_del', path: list, cert: 'certs/none.pem' },
      ];
      for (const operation of refused) expect(await run(operation)).toMatchObject({ outcome: 'rejected' });
      expect(await entries()).toEqual(['certs/a.pem:1 [alpn h2] a.example', 'certs/b.pem:2']);
      await intact();
    });
  });

  it('a certificate behind hundreds of entries is renewed in one commit, in its time', async () => {
    const count = 400;
    await must(
      ...Array.from({ length: count }, (_, index): Operation => ({
        kind: 'crtlist_add',
        path: list,
        cert: 'certs/b.pem',
        options: [],
        sni_filters: [`n${String(index)}.example`],
      })),
    );
    files['certs/b.pem'] = pemOf(pool.leaves[9]);
    await must({ kind: 'cert_set', path: 'certs/b.pem' });
    expect((await visit(`n${String(count - 1)}.example`)).serial).toBe(serialOf(pool.leaves[9]));
  });

  it('nothing counts as done on a worker that is another one by now', async () => {
    files['certs/a.pem'] = pemOf(pool.leaves[3]);
    const preparation = await prepare({ kind: 'cert_set', path: 'certs/a.pem' });
    if (!preparation.ok) throw new Error(preparation.reason);
    const former = await readWorkerIdentity(haproxy.workerSocket);
    const { masterSocket, workerSocket } = haproxy;
    expect(await reloadHaproxy({ masterSocket, workerSocket, former, timeoutMs: 60_000 })).toMatchObject({
      ok: true,
    });
    expect(await runOperations(workerSocket, former, preparation.ready)).toMatchObject({
      outcome: 'worker_changed',
      results: [{ ok: false }],
    });
    expect(await names('cert')).toEqual(['certs/a.pem', 'certs/b.pem']);
  });
});
