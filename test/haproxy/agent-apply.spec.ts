import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectOnDisk } from '../fixtures/expect-on-disk.ts';
import {
  type AgentHarness,
  applyBody,
  converse,
  manifestOf,
  startAgent,
  startEcho,
} from '../fixtures/agent-harness.ts';
import { digest } from '../../src/lib/digest.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress, type HaproxyProcess, startHaproxy } from '../fixtures/haproxy-process.ts';
import { type Site, siteFiles, visit } from '../fixtures/site-config.ts';

describeEachLine('an agent applies', (line) => {
  let haproxy: HaproxyProcess;
  let harness: AgentHarness;
  let bind: { host: string; port: number };
  const echoes: { close(): Promise<void> }[] = [];
  const echo = async (name: string) => {
    const server = await startEcho(name);
    echoes.push(server);
    return server.port;
  };
  const site = (backends: Site['backends']): Site => ({ baseDir: haproxy.baseDir, bind, backends });

  beforeEach(async () => {
    haproxy = await startHaproxy(line);
    harness = await startAgent(haproxy);
    bind = await freeAddress();
  });
  afterEach(async () => {
    await harness.stop();
    await haproxy.stop();
    await Promise.all(echoes.splice(0).map((server) => server.close()));
  });

  it('the first files by a reload, and serves them', async () => {
    const first = site({ app: [{ name: 'a', port: await echo('one') }] });
    const reply = await converse(harness).reload(siteFiles(first, { '/': 'app' }));
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ ok: true, mode: 'reload', reload: { performed: true, ok: true } });
    expect(await visit(first, '/')).toEqual({ status: 200, body: 'one' });
    const state = await harness.state();
    expect(state).toMatchObject({
      applied_plan_id: 'plan-1',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: 'plan-1',
      applied_plan_proof: 'a:1',
      generation: 1,
      haproxy: { version: line.line, worker_pid: await haproxy.workerPid() },
    });
    expect(state.runtime_inventory.maps).toEqual(['maps/path.map']);
    expect(await haproxy.reloads()).toBe(1);
  });

  it('an endpoint exchange at runtime: the new one serves, the old one is deleted, nothing reloads', async () => {
    const ports = [await echo('one'), await echo('two')] as const;
    const before = site({ app: [{ name: 'a', port: ports[0] }] });
    const after = site({ app: [{ name: 'b', port: ports[1] }] });
    const talk = converse(harness);
    await talk.reload(siteFiles(before, { '/': 'app' }));
    const reply = await talk.runtime(siteFiles(after, { '/': 'app' }), [
      { kind: 'server_add', backend: 'app', server: 'b', address: '127.0.0.1', port: ports[1], keywords: [] },
      { kind: 'server_enable', backend: 'app', server: 'b' },
      { kind: 'server_disable', backend: 'app', server: 'a' },
      { kind: 'wait_srv_removable', backend: 'app', server: 'a', timeout_ms: 2000 },
      { kind: 'server_del', backend: 'app', server: 'a' },
    ]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect(reply.body.op_results.map((result) => result.ok)).toEqual([true, true, true, true, true]);
    expect(await visit(after, '/')).toEqual({ status: 200, body: 'two' });
    await eventually('the old server is gone', async () =>
      (await haproxy.cli('show servers state app')).includes(' a ') ? undefined : true,
    );
    expect((await harness.state()).pending_deletes).toEqual({ servers: [], backends: [] });
    await expectOnDisk(path.join(haproxy.baseDir, 'haproxy.cfg'), siteFiles(after, {})['haproxy.cfg'] ?? '');
    expect(await haproxy.reloads()).toBe(1);
  });

  it('map changes of every kind at runtime', async () => {
    const here = site({
      one: [{ name: 'a', port: await echo('one') }],
      two: [{ name: 'a', port: await echo('two') }],
    });
    const talk = converse(harness);
    await talk.reload(siteFiles(here, { '/x': 'one', '/gone': 'one' }));
    const reply = await talk.runtime(siteFiles(here, { '/x': 'two', '/new': 'one' }), [
      { kind: 'map_set', path: 'maps/path.map', key: '/x', value: 'two' },
      { kind: 'map_add', path: 'maps/path.map', key: '/new', value: 'one' },
      { kind: 'map_del', path: 'maps/path.map', key: '/gone' },
    ]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect((await visit(here, '/x')).body).toBe('two');
    expect((await visit(here, '/new')).body).toBe('one');
    expect((await visit(here, '/gone')).status).toBe(404);
    const replaced = await talk.runtime(siteFiles(here, { '/only': 'two' }), [
      { kind: 'map_replace', path: 'maps/path.map' },
    ]);
    expect(replaced.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect((await visit(here, '/only')).body).toBe('two');
    expect((await visit(here, '/x')).status).toBe(404);
    expect(await haproxy.reloads()).toBe(1);
  });

  it('what changes of the files, and keeps the others, also over its own restart', async () => {
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = { ...siteFiles(here, { '/': 'app' }), 'general/gone': 'x', 'general/kept': 'y' };
    await converse(harness).reload(files);
    const state = await harness.state();
    const changed = 'maps/path.map';
    const next = { [changed]: '/other app\n', 'general/new': 'z' };
    const changes = {
      removed_files: ['general/gone'],
      ops: [{ kind: 'map_replace', path: changed }],
    } as const;
    const reply = await harness.send(applyBody(manifestOf(state, next, changes), next));
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect((await visit(here, '/other')).body).toBe('one');
    const { 'general/gone': _gone, ...rest } = files;
    const expected = { ...rest, ...next };
    const holds = async () => {
      const held = (await harness.state('?verify=1')).files;
      expect(Object.keys(held).sort()).toEqual(Object.keys(expected).sort());
      for (const [name, text] of Object.entries(expected)) expect(held[name]?.digest).toBe(digest(text));
      await expectOnDisk(path.join(haproxy.baseDir, changed), next[changed]);
    };
    await holds();
    expect(await readFile(path.join(haproxy.baseDir, 'general/gone')).catch(() => 'none')).toBe('none');
    await harness.stop();
    harness = await startAgent(haproxy);
    await holds();
    const again = await harness.send(
      applyBody(manifestOf(await harness.state(), {}, { removed_files: ['general/kept'] }), {}),
    );
    expect(again.body).toMatchObject({ ok: true, mode: 'file_only' });
    expect(Object.keys((await harness.state()).files).sort()).toEqual([
      'general/new',
      'haproxy.cfg',
      changed,
    ]);
    expect(await haproxy.reloads()).toBe(1);
  });

  it('files that HAProxy refuses: told in its own words, and everything stays as it was', async () => {
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = siteFiles(here, { '/': 'app' });
    const talk = converse(harness);
    await talk.reload(files);
    const worker = await haproxy.workerPid();
    const reply = await talk.reload({
      ...files,
      'haproxy.cfg': `${files['haproxy.cfg'] ?? ''}bogus keyword\n`,
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      ok: false,
      mode: 'rejected',
      applied_plan_id: '',
      running_plan_id: 'plan-1',
      rollback: { performed: true, reloaded: false },
      error: { stage: 'reload' },
    });
    expect(reply.body.error?.message).toContain(line.line === '2.6' ? 'log' : "unknown keyword 'bogus'");
    expect(await haproxy.workerPid()).toBe(worker);
    expect(await readFile(path.join(haproxy.baseDir, 'haproxy.cfg'), 'utf8')).toBe(files['haproxy.cfg']);
    expect((await visit(here, '/')).body).toBe('one');
    const again = await talk.reload(files);
    expect(again.body).toMatchObject({ ok: true, mode: 'reload' });
  });

  it('a certificate readable by its owner alone, and removes what it owns but nothing else', async () => {
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = siteFiles(here, { '/': 'app' });
    const talk = converse(harness);
    await talk.reload({ ...files, 'certs/a.pem': 'not loaded by anything\n' });
    const certificate = path.join(haproxy.baseDir, 'certs/a.pem');
    expect((await stat(certificate)).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(haproxy.baseDir, 'maps/path.map'))).mode & 0o777).toBe(0o644);
    const foreign = path.join(haproxy.baseDir, 'certs/foreign.pem');
    await (await import('node:fs/promises')).writeFile(foreign, 'mine');
    const reply = await talk.runtime(files, []);
    expect(reply.body).toMatchObject({ ok: true, mode: 'file_only' });
    // Waits for the files, which are put in place after the answer.
    await harness.state('?verify=1');
    await expect(stat(certificate)).rejects.toThrow('ENOENT');
    expect(await readFile(foreign, 'utf8')).toBe('mine');
  });

  it('the same again without doing anything', async () => {
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = siteFiles(here, { '/': 'app' });
    const talk = converse(harness);
    await talk.reload(files);
    const reply = await talk.runtime(files, []);
    expect(reply.body).toMatchObject({ ok: true, mode: 'noop', applied_plan_id: 'plan-2' });
    expect(await haproxy.reloads()).toBe(1);
  });
});
