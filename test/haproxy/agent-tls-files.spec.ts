import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import tls from 'node:tls';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Operation } from '../../src/protocol/operation.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { createTlsPool, type TlsLeaf, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { siteFiles } from '../fixtures/site-config.ts';

const list = 'certs/list.txt';

describeEachLine('the agent changes TLS files', (line) => {
  const scene = useAgentScene(line);
  let pool: TlsPool;
  let bind: { host: string; port: number };
  beforeAll(async () => {
    pool = await createTlsPool();
  });
  beforeEach(async () => {
    bind = await freeAddress();
  });

  const pemOf = (leaf: TlsLeaf | undefined) =>
    `${leaf?.cert ?? ''}\n${leaf?.chain ?? ''}\n${leaf?.key ?? ''}\n`;
  const filesWith = (certs: Readonly<Record<string, string>>, entries: readonly string[]) => {
    const files = siteFiles(scene().site({}), {});
    const frontend = [
      'frontend tls from site',
      `  bind ${bind.host}:${String(bind.port)} ssl crt-list ${list}`,
      '  http-request return status 204',
      '',
    ].join('\n');
    return {
      ...files,
      'haproxy.cfg': `${files['haproxy.cfg'] ?? ''}${frontend}`,
      ...certs,
      [list]: `${entries.join('\n')}\n`,
    };
  };
  const served = async (servername: string) => {
    const socket = tls.connect({ ...bind, servername, rejectUnauthorized: false, maxVersion: 'TLSv1.2' });
    await once(socket, 'secureConnect');
    const serial = socket.getPeerX509Certificate()?.serialNumber;
    socket.destroy();
    return serial;
  };
  const serialOf = (leaf: TlsLeaf | undefined) => new X509Certificate(leaf?.cert ?? '').serialNumber;

  it('with the bytes of the same apply, and tells what is loaded by then', async () => {
    const { talk, haproxy, harness } = scene();
    const [old, renewed, added] = [pool.leaves[2], pool.leaves[3], pool.leaves[4]];
    const first = filesWith({ 'certs/a.pem': pemOf(old) }, ['certs/a.pem']);
    await talk.reload(first);
    const { generation } = (await harness.state('?plan=0')).runtime_inventory;
    const entry = 'certs/n.pem [ssl-min-ver TLSv1.2] *.wild.example';
    const next = filesWith({ 'certs/a.pem': pemOf(renewed), 'certs/n.pem': pemOf(added) }, [
      'certs/a.pem',
      entry,
    ]);
    const reply = await talk.runtime(next, [
      { kind: 'cert_set', path: 'certs/a.pem' },
      { kind: 'cert_new', path: 'certs/n.pem' },
      {
        kind: 'crtlist_add',
        path: list,
        cert: 'certs/n.pem',
        options: ['ssl-min-ver', 'TLSv1.2'],
        sni_filters: ['*.wild.example'],
      },
    ]);
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'runtime',
      op_results: [{ ok: true }, { ok: true }, { ok: true }],
      runtime_inventory: {
        generation: generation + 1,
        certs: ['certs/a.pem', 'certs/n.pem'],
        crt_lists: [list],
      },
    });
    expect(await served('a.example')).toBe(serialOf(renewed));
    expect(await served('x.wild.example')).toBe(serialOf(added));
    expect((await harness.state('?plan=0')).runtime_inventory.certs).toEqual(['certs/a.pem', 'certs/n.pem']);

    const without = await talk.runtime(filesWith({ 'certs/a.pem': pemOf(renewed) }, ['certs/a.pem']), [
      { kind: 'crtlist_del', path: list, cert: 'certs/n.pem' },
    ]);
    expect(without.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect(without.body.runtime_inventory).toBeUndefined();
    expect(await served('x.wild.example')).toBe(serialOf(renewed));
    expect(await haproxy.reloads()).toBe(1);
  });

  it('from what it holds, when a batch after the first one speaks of it', async () => {
    const { talk, haproxy } = scene();
    const files = filesWith({ 'certs/a.pem': pemOf(pool.leaves[2]) }, ['certs/a.pem']);
    await talk.reload(files);
    const set: Operation = { kind: 'cert_set', path: 'certs/a.pem' };
    const reply = await talk.runtime(files, [set], { op_batches: [[set], [set]] });
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect(reply.body.op_results).toEqual(
      [set, set, set].map(({ kind }) => ({ kind, ok: true, output: '' })),
    );
    expect(await haproxy.reloads()).toBe(1);
  });

  it('by a reload, with nothing run, when the last batch cannot be run', async () => {
    const { talk, haproxy } = scene();
    const [old, renewed] = [pool.leaves[2], pool.leaves[3]];
    await talk.reload(filesWith({ 'certs/a.pem': pemOf(old) }, ['certs/a.pem']));
    const bundle = Array.from({ length: 30 }, () => pool.authorities[0]).join('\n');
    const next = filesWith(
      { 'certs/a.pem': pemOf(renewed), 'certs/big.pem': `${pemOf(renewed)}${bundle}\n` },
      ['certs/a.pem'],
    );
    const reply = await talk.runtime(next, [{ kind: 'cert_set', path: 'certs/a.pem' }], {
      op_batches: [[{ kind: 'cert_new', path: 'certs/big.pem' }]],
    });
    expect(reply.body).toMatchObject({ ok: true, mode: 'reload', op_results: [] });
    expect(reply.body.reload?.reason).toMatch(/^payload_too_large: cert_new \(certs\/big\.pem\): /);
    expect(await served('a.example')).toBe(serialOf(renewed));
    expect(await haproxy.reloads()).toBe(2);
  });

  it('HT#3: by a reload when HAProxy refuses one, and puts all back when it refuses the files as well', async () => {
    const { talk, haproxy } = scene();
    const [old, other] = [pool.leaves[2], pool.leaves[6]];
    const first = filesWith({ 'certs/a.pem': pemOf(old) }, ['certs/a.pem']);
    await talk.reload(first);
    const mismatch = `${old?.cert ?? ''}\n${other?.key ?? ''}\n`;
    const reply = await talk.runtime(filesWith({ 'certs/a.pem': mismatch }, ['certs/a.pem']), [
      { kind: 'cert_set', path: 'certs/a.pem' },
    ]);
    expect(reply.body).toMatchObject({
      ok: false,
      mode: 'rejected',
      op_results: [{ kind: 'cert_set', ok: false }],
    });
    expect(await served('a.example')).toBe(serialOf(old));
    expect(await haproxy.cli('show ssl cert')).not.toContain('*');
  });

  it('by a reload, and never half, when its path is no file of the base dir', async () => {
    const { talk, haproxy } = scene();
    const files = filesWith({ 'certs/a.pem': pemOf(pool.leaves[2]) }, ['certs/a.pem']);
    await talk.reload(files);
    const hostile = [
      '../etc/key.pem',
      '/etc/key.pem',
      'certs/./a.pem',
      '.haptic-agent.json',
      'a;quit',
      '@x',
      '*a',
      '',
    ];
    for (const [index, path] of hostile.entries()) {
      const reply = await talk.runtime(files, [
        { kind: 'cert_set', path: 'certs/a.pem' },
        { kind: 'cert_set', path },
      ]);
      expect(reply.body).toMatchObject({ ok: true, mode: 'reload', op_results: [] });
      expect(reply.body.reload?.reason).toContain('unknown_op: cert_set (file)');
      expect(await haproxy.reloads()).toBe(index + 2);
    }
  });
});
