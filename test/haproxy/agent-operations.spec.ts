import { expect, it } from 'vitest';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { useHoldingServers } from '../fixtures/holding-servers.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { mapText, siteConfig, siteFiles, visit } from '../fixtures/site-config.ts';
import type { Operation } from '../../src/protocol/operation.ts';

/** Columns of `show servers state` that the tests look at. */
async function serverState(cli: (line: string) => Promise<string>, backend: string, server: string) {
  const row = (await cli(`show servers state ${backend}`))
    .split('\n')
    .map((text) => text.split(' '))
    .find((columns) => columns[1] === backend && columns[3] === server);
  if (row === undefined) return undefined;
  return { address: row[4], port: Number(row[18]), admin: Number(row[6]), weight: Number(row[7]) };
}

const maintenance = 0x01;
const drain = 0x08;

describeEachLine('the agent runs operations', (line) => {
  const scene = useAgentScene(line);
  const target = { backend: 'app', server: 'a' } as const;

  it('that change a server: address, weight, state, maintenance', async () => {
    const { talk, haproxy, site, echo } = scene();
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = siteFiles(here, { '/': 'app' });
    await talk.reload(files);
    const other = await echo('two');
    const run = async (...ops: Operation[]) => {
      const reply = await talk.runtime(files, ops);
      expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
      return serverState(haproxy.cli, 'app', 'a');
    };
    expect(
      await run({ kind: 'server_set_addr', ...target, address: '127.0.0.1', port: other }),
    ).toMatchObject({
      port: other,
    });
    expect((await visit(here, '/')).body).toBe('two');
    expect(
      await run({ kind: 'server_set_addr', ...target, address: '127.0.0.1', port: other }),
    ).toBeDefined();
    expect(await run({ kind: 'server_set_addr', ...target, address: '::1', port: other })).toMatchObject({
      address: '::1',
    });
    expect(await run({ kind: 'server_set_weight', ...target, weight: 7 })).toMatchObject({ weight: 7 });
    expect((await run({ kind: 'server_set_state', ...target, state: 'drain' }))?.admin).toBe(drain);
    expect((await run({ kind: 'server_set_state', ...target, state: 'ready' }))?.admin).toBe(0);
    expect((await run({ kind: 'server_set_state', ...target, state: 'maint' }))?.admin).toBe(maintenance);
    expect((await run({ kind: 'server_enable', ...target }))?.admin).toBe(0);
    expect((await run({ kind: 'server_disable', ...target }))?.admin).toBe(maintenance);
    expect(await haproxy.reloads()).toBe(1);
  });

  it('that add servers with keywords, checks and IPv6, ready to take traffic', async () => {
    const { talk, haproxy, site, echo } = scene();
    const port = await echo('new');
    const here = site({ app: [] });
    const files = siteFiles(here, { '/': 'app' });
    await talk.reload(files);
    const reply = await talk.runtime(files, [
      {
        kind: 'server_add',
        backend: 'app',
        server: 'checked',
        address: '127.0.0.1',
        port,
        keywords: [
          { name: 'check', args: [] },
          { name: 'inter', args: ['100ms'] },
          { name: 'weight', args: ['5'] },
        ],
      },
      { kind: 'server_enable', backend: 'app', server: 'checked', health: true },
      { kind: 'server_add', backend: 'app', server: 'six', address: '::1', port: 9, keywords: [] },
    ]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect(await serverState(haproxy.cli, 'app', 'checked')).toMatchObject({ admin: 0, weight: 5 });
    expect(await serverState(haproxy.cli, 'app', 'six')).toMatchObject({
      address: '::1',
      admin: maintenance,
    });
    expect(await visit(here, '/')).toEqual({ status: 200, body: 'new' });
    expect(await haproxy.reloads()).toBe(1);
  });

  it('on maps: values with blanks, characters that look like syntax, duplicates of a key', async () => {
    const { talk, haproxy, site } = scene();
    const files = siteFiles(site({}), { '/dup': 'one' });
    await talk.reload({ ...files, 'maps/path.map': '/dup one\n/dup two\n/keep app\n' });
    const path = 'maps/path.map';
    const reply = await talk.runtime({ ...files, 'maps/path.map': mapText({ '/keep': 'app' }) }, [
      { kind: 'map_add', path, key: '/blank', value: 'two words, and "quotes"  # no comment' },
      { kind: 'map_add', path, key: '/odd"\'#{}[]|&$%', value: 'v"\'#$%' },
      { kind: 'map_add', path, key: '/ü', value: 'é' },
      { kind: 'map_add', path, key: '^/a\\.b;<<c>>$', value: 'x' },
      { kind: 'map_set', path, key: '^/a\\.b;<<c>>$', value: 'one; two \\ <<' },
      { kind: 'map_del', path, key: '/dup' },
      { kind: 'map_del', path, key: '/never-there' },
    ]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    const entries = (await haproxy.cli(`show map ${path}`))
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => row.slice(row.indexOf(' ') + 1))
      .sort();
    expect(entries).toEqual(
      [
        '/blank two words, and "quotes"  # no comment',
        '/keep app',
        '/odd"\'#{}[]|&$% v"\'#$%',
        '/ü é',
        '^/a\\.b;<<c>>$ one; two \\ <<',
      ].sort(),
    );
    expect(await haproxy.reloads()).toBe(1);
  });

  it('that replace a map of megabytes in one step', async () => {
    const { talk, haproxy, site, echo } = scene();
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = siteFiles(here, { '/old': 'app' });
    await talk.reload(files);
    const routes = Object.fromEntries(
      Array.from({ length: 30_000 }, (_, i) => [`/route-${String(i)}`, 'app']),
    );
    const reply = await talk.runtime(siteFiles(here, routes), [
      { kind: 'map_replace', path: 'maps/path.map' },
    ]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect((await visit(here, '/route-29999')).body).toBe('one');
    expect((await visit(here, '/old')).status).toBe(404);
    expect(await haproxy.cli('show map')).toContain('entry_cnt=30000');
    expect(await haproxy.reloads()).toBe(1);
  });

  it('in batches: 1,000 servers are added and enabled, and the same number deleted', async () => {
    const { talk, harness, haproxy, site } = scene();
    const files = siteFiles(site({ app: [] }), { '/': 'app' });
    await talk.reload(files);
    const names = Array.from({ length: 1000 }, (_, index) => `s${String(index)}`);
    const inBatches = (ops: Operation[]) => ({
      ops: ops.slice(0, 1000),
      op_batches: [ops.slice(1000, 2000)],
    });
    const add = names.flatMap((server): Operation[] => [
      { kind: 'server_add', backend: 'app', server, address: '127.0.0.1', port: 9, keywords: [] },
      { kind: 'server_enable', backend: 'app', server },
    ]);
    const added = await talk.runtime(files, [], inBatches(add));
    expect(added.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect(added.body.op_results).toHaveLength(2000);
    const count = async () => (await haproxy.cli('show servers state app')).match(/^\d+ app /gm)?.length ?? 0;
    expect(await count()).toBe(1000);
    const remove = names.flatMap((server): Operation[] => [
      { kind: 'server_disable', backend: 'app', server },
      { kind: 'server_del', backend: 'app', server },
    ]);
    const removed = await talk.runtime(files, [], inBatches(remove));
    expect(removed.body).toMatchObject({ ok: true, mode: 'runtime' });
    await eventually('all servers are deleted', async () => ((await count()) === 0 ? true : undefined));
    expect((await harness.state()).pending_deletes.servers).toEqual([]);
    expect(await haproxy.reloads()).toBe(1);
  });

  it('but reloads the desired set when HAProxy refuses one, and says which', async () => {
    const { talk, haproxy, site, echo } = scene();
    const port = await echo('one');
    await talk.reload(siteFiles(site({ app: [{ name: 'a', port }] }), { '/': 'app' }));
    const next = site({ app: [{ name: 'a', port }], more: [{ name: 'b', port }] });
    const reply = await talk.runtime(siteFiles(next, { '/': 'app', '/more': 'more' }), [
      { kind: 'map_add', path: 'maps/path.map', key: '/more', value: 'more' },
      { kind: 'server_enable', backend: 'app', server: 'ghost' },
      { kind: 'server_enable', backend: 'app', server: 'a' },
    ]);
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'reload',
      reload: { ok: true, reason: 'op_rejected' },
    });
    expect(reply.body.op_results).toEqual([
      { kind: 'map_add', ok: true, output: '' },
      { kind: 'server_enable', ok: false, output: 'No such server.' },
      { kind: 'server_enable', ok: false, output: 'not known: an operation before it failed' },
    ]);
    expect((await visit(next, '/more')).body).toBe('one');
    expect(await haproxy.cli('show map maps/path.map')).toMatch(/^\S+ \/ app\n\S+ \/more more\n\n$/);
    expect(await haproxy.reloads()).toBe(2);
  });

  it('but reloads, with nothing run, when a word could be read as something else', async () => {
    const { talk, haproxy, site, echo } = scene();
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = siteFiles(here, { '/': 'app' });
    await talk.reload(files);
    const path = 'maps/path.map';
    const hostile: Operation[] = [
      { kind: 'map_add', path, key: '/x', value: 'v\ndisable server app/a\n' },
      { kind: 'map_add', path, key: '/x;disable server app/a', value: 'v' },
      { kind: 'server_enable', backend: 'app', server: 'a;disable server app/a' },
      {
        kind: 'server_add',
        ...target,
        address: '127.0.0.1',
        port: 9,
        keywords: [{ name: 'check', args: ['<<'] }],
      },
      { kind: 'fly' } as unknown as Operation,
    ];
    for (const [index, operation] of hostile.entries()) {
      const reply = await talk.runtime(files, [{ kind: 'server_disable', ...target }, operation]);
      expect(reply.body).toMatchObject({ ok: true, mode: 'reload', op_results: [] });
      expect(reply.body.reload?.reason).toContain(`unknown_op: ${operation.kind}`);
      expect(await haproxy.reloads()).toBe(index + 2);
      expect((await serverState(haproxy.cli, 'app', 'a'))?.admin).toBe(0);
      expect(await haproxy.cli(`show map ${path}`)).toMatch(/^\S+ \/ app\n\n$/);
    }
  });

  const holdingServer = useHoldingServers();

  it('and deletes a server only once its last request is through', async () => {
    const { talk, harness, haproxy, site } = scene();
    const slow = await holdingServer();
    const here = site({ app: [{ name: 'a', port: slow.port }] });
    await talk.reload(siteFiles(here, { '/': 'app' }));
    const answer = visit(here, '/');
    await slow.visited();
    const reply = await talk.runtime(siteFiles(site({ app: [] }), { '/': 'app' }), [
      { kind: 'server_disable', ...target },
      { kind: 'server_del', ...target },
    ]);
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'runtime',
      pending_deletes: { servers: ['app/a'] },
    });
    expect((await harness.state()).pending_deletes.servers).toEqual(['app/a']);
    slow.release();
    expect((await answer).body).toBe('done');
    await eventually('the server is deleted', async () =>
      (await harness.state()).pending_deletes.servers.length === 0 ? true : undefined,
    );
    expect(await serverState(haproxy.cli, 'app', 'a')).toBeUndefined();
    expect(await haproxy.reloads()).toBe(1);
  });

  it('and never mixes up a server that waits for its deletion with a new one of its name', async () => {
    const { talk, harness, haproxy, site, echo } = scene();
    const slow = await holdingServer();
    const here = site({ app: [{ name: 'a', port: slow.port }] });
    await talk.reload(siteFiles(here, { '/': 'app' }));
    const cut = visit(here, '/').catch(() => undefined);
    await slow.visited();
    const deleted = await talk.runtime(siteFiles(site({ app: [] }), { '/': 'app' }), [
      { kind: 'server_disable', ...target },
      { kind: 'server_del', ...target },
    ]);
    expect(deleted.body.pending_deletes?.servers).toEqual(['app/a']);
    const port = await echo('new');
    const next = site({ app: [{ name: 'a', port }] });
    const added = await talk.runtime(siteFiles(next, { '/': 'app' }), [
      { kind: 'server_add', ...target, address: '127.0.0.1', port, keywords: [] },
      { kind: 'server_enable', ...target },
    ]);
    expect(added.body).toMatchObject({ ok: true, pending_deletes: { servers: [], backends: [] } });
    expect(await serverState(haproxy.cli, 'app', 'a')).toMatchObject({ admin: 0, port });
    expect((await visit(next, '/')).body).toBe('new');
    expect(added.body).toMatchObject({ mode: 'reload', reload: { reason: 'pending_delete: app/a' } });
    slow.release();
    await cut;
    expect((await harness.state()).pending_deletes.servers).toEqual([]);
  });
});

describeEachLine(
  'the agent adds and removes backends at runtime',
  (line) => {
    const scene = useAgentScene(line);

    it('and a new route serves at once', async () => {
      const { talk, haproxy, harness, site, echo } = scene();
      const port = await echo('fresh');
      await talk.reload(siteFiles(site({}), {}));
      const next = site({ fresh: [{ name: 'a', port }] });
      const reply = await talk.runtime(siteFiles(next, { '/fresh': 'fresh' }), [
        { kind: 'backend_add', backend: 'fresh', profile: 'site', mode: 'http', guid: 'be:fresh' },
        { kind: 'server_add', backend: 'fresh', server: 'a', address: '127.0.0.1', port, keywords: [] },
        { kind: 'server_enable', backend: 'fresh', server: 'a' },
        { kind: 'backend_publish', backend: 'fresh' },
        { kind: 'map_add', path: 'maps/path.map', key: '/fresh', value: 'fresh' },
      ]);
      expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
      expect(await visit(next, '/fresh')).toEqual({ status: 200, body: 'fresh' });

      const removed = await talk.runtime(siteFiles(site({}), {}), [
        { kind: 'map_del', path: 'maps/path.map', key: '/fresh' },
        { kind: 'backend_unpublish', backend: 'fresh' },
        { kind: 'server_disable', backend: 'fresh', server: 'a' },
        { kind: 'wait_srv_removable', backend: 'fresh', server: 'a', timeout_ms: 2000 },
        { kind: 'server_del', backend: 'fresh', server: 'a' },
        { kind: 'wait_be_removable', backend: 'fresh', timeout_ms: 2000 },
        { kind: 'backend_del', backend: 'fresh' },
      ]);
      expect(removed.body).toMatchObject({ ok: true, mode: 'runtime' });
      expect((await visit(next, '/fresh')).status).toBe(404);
      await eventually('the backend is gone', async () =>
        (await haproxy.cli('show backend')).includes('fresh') ? undefined : true,
      );
      expect((await harness.state()).pending_deletes).toEqual({ servers: [], backends: [] });
      expect(await haproxy.reloads()).toBe(1);
    });

    it('again and again under the same name', async () => {
      const { talk, haproxy, site, echo } = scene();
      const port = await echo('again');
      const without = siteFiles(site({}), {});
      const next = site({ b: [{ name: 'a', port }] });
      await talk.reload(without);
      for (let round = 0; round < 20; round++) {
        const added = await talk.runtime(siteFiles(next, { '/b': 'b' }), [
          { kind: 'backend_add', backend: 'b', profile: 'site', mode: 'http', guid: 'b' },
          { kind: 'server_add', backend: 'b', server: 'a', address: '127.0.0.1', port, keywords: [] },
          { kind: 'server_enable', backend: 'b', server: 'a' },
          { kind: 'backend_publish', backend: 'b' },
          { kind: 'map_add', path: 'maps/path.map', key: '/b', value: 'b' },
        ]);
        expect(added.body).toMatchObject({ ok: true, mode: 'runtime' });
        expect((await visit(next, '/b')).body).toBe('again');
        const removed = await talk.runtime(without, [
          { kind: 'map_del', path: 'maps/path.map', key: '/b' },
          { kind: 'backend_unpublish', backend: 'b' },
          { kind: 'server_disable', backend: 'b', server: 'a' },
          { kind: 'server_del', backend: 'b', server: 'a' },
          { kind: 'backend_del', backend: 'b' },
        ]);
        expect(removed.body).toMatchObject({ ok: true, mode: 'runtime' });
      }
      expect(await haproxy.reloads()).toBe(1);
    });

    it('but reloads when the name is taken', async () => {
      const { talk, haproxy, site, echo } = scene();
      const here = site({ app: [{ name: 'a', port: await echo('one') }] });
      const files = siteFiles(here, { '/': 'app' });
      await talk.reload(files);
      const reply = await talk.runtime(files, [
        { kind: 'backend_add', backend: 'app', profile: 'site', mode: 'http' },
      ]);
      expect(reply.body).toMatchObject({ ok: true, mode: 'reload', reload: { reason: 'name_collision' } });
      expect(reply.body.op_results[0]?.output).toContain('already used by other proxy');
      expect(await haproxy.reloads()).toBe(2);
      expect(siteConfig(here)).toContain('backend app');
    });
  },
  (line) => line === '3.4',
);
