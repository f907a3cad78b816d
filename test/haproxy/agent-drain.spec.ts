import { expect, it } from 'vitest';
import { isVersionAtLeast } from '../../src/lib/is-version-at-least.ts';
import { createDeferredDeletes } from '../../src/agent/runtime/deferred-deletes.ts';
import { readWorkerIdentity } from '../../src/agent/runtime/worker-identity.ts';
import type { Operation } from '../../src/protocol/operation.ts';
import type { Keyword } from '../../src/protocol/plan.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { useHoldingServers } from '../fixtures/holding-servers.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';

describeEachLine('a server that goes while a request is on it', (line) => {
  const scene = useAgentScene(line);
  const target = { backend: 'app', server: 'a' } as const;
  const check: Keyword = { name: 'check', args: [] };
  const holdingServer = useHoldingServers();
  const remove = (keywords?: readonly Keyword[]): Operation[] => [
    { kind: 'server_disable', ...target },
    { kind: 'wait_srv_removable', ...target, timeout_ms: 2000 },
    { kind: 'server_del', ...target, ...(keywords !== undefined && { keywords }) },
  ];
  const add = (port: number, keywords: readonly Keyword[]): Operation[] => [
    { kind: 'server_add', ...target, address: '127.0.0.1', port, keywords },
    { kind: 'server_enable', ...target, health: keywords.includes(check) },
  ];
  const withRequest = async () => {
    const { talk, site } = scene();
    const held = await holdingServer();
    const here = site({ app: [{ name: 'a', port: held.port, options: 'check inter 1h' }] });
    await talk.reload(siteFiles(here, { '/': 'app' }));
    const answer = visit(here, '/');
    await held.visited();
    return { held, here, answer };
  };
  const weightOf = async () => {
    const rows = (await scene().haproxy.cli('show servers state app')).split('\n');
    return rows.find((row) => row.includes(' a 127.'))?.split(' ')[7];
  };

  it.each([
    ['by the same agent', false],
    ['by the agent after it', true],
  ])('comes back without a reload, and the request goes on: %s', async (_how, restarted) => {
    const { held, here, answer } = await withRequest();
    const gone = scene().site({ app: [] });
    const inter: Keyword = { name: 'inter', args: ['1h'] };
    const removed = await scene().talk.runtime(siteFiles(gone, { '/': 'app' }), remove([check, inter]));
    expect(removed.body).toMatchObject({ mode: 'runtime', pending_deletes: { servers: ['app/a'] } });
    expect((await visit(here, '/')).status).toBe(503);
    if (restarted) await scene().restartAgent();
    expect((await scene().harness.state('?plan=0')).pending_deletes.servers).toEqual(['app/a']);

    const port = await scene().echo('back');
    const options = 'check inter 1h weight 7';
    const back = scene().site({ app: [{ name: 'a', port, options }] });
    const keywords = [inter, check, { name: 'weight', args: ['7'] }];
    const revived = await scene().talk.runtime(siteFiles(back, { '/': 'app' }), add(port, keywords));
    expect(revived.body).toMatchObject({ ok: true, mode: 'runtime', pending_deletes: { servers: [] } });
    expect((await visit(here, '/')).body).toBe('back');
    expect(await weightOf()).toBe('7');
    held.release();
    expect((await answer).body).toBe('done');
    expect(await scene().haproxy.reloads()).toBe(1);
  });

  it('is not confused with a server of other keywords: that one comes by a reload, and the request goes on', async () => {
    const { held, here, answer } = await withRequest();
    const { talk, haproxy, site, echo } = scene();
    await talk.runtime(siteFiles(site({ app: [] }), { '/': 'app' }), remove([check]));
    const port = await echo('other');
    const next = siteFiles(site({ app: [{ name: 'a', port }] }), { '/': 'app' });
    const reply = await talk.runtime(next, add(port, []));
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'reload',
      reload: { reason: 'pending_delete: app/a' },
      pending_deletes: { servers: [] },
    });
    expect((await visit(here, '/')).body).toBe('other');
    held.release();
    expect((await answer).body).toBe('done');
    expect(await haproxy.reloads()).toBe(2);
  });

  if (isVersionAtLeast(line.line, '3.4'))
    it('comes back with its backend, which went as well', async () => {
      const { talk, harness, haproxy, site, echo } = scene();
      const held = await holdingServer();
      const shape = { backend: 'fresh', profile: 'site', mode: 'http', guid: 'be:fresh' } as const;
      const path = 'maps/path.map';
      const create = (port: number): Operation[] => [
        { kind: 'backend_add', ...shape },
        { kind: 'server_add', backend: 'fresh', server: 'a', address: '127.0.0.1', port, keywords: [] },
        { kind: 'server_enable', backend: 'fresh', server: 'a' },
        { kind: 'backend_publish', backend: 'fresh' },
        { kind: 'map_add', path, key: '/fresh', value: 'fresh' },
      ];
      await talk.reload(siteFiles(site({}), {}));
      const here = site({ fresh: [{ name: 'a', port: held.port }] });
      await talk.runtime(siteFiles(here, { '/fresh': 'fresh' }), create(held.port));
      const answer = visit(here, '/fresh');
      await held.visited();
      const removed = await talk.runtime(siteFiles(site({}), {}), [
        { kind: 'map_del', path, key: '/fresh' },
        { kind: 'backend_unpublish', backend: 'fresh' },
        { kind: 'server_disable', backend: 'fresh', server: 'a' },
        { kind: 'server_del', backend: 'fresh', server: 'a', keywords: [] },
        { kind: 'backend_del', ...shape },
      ]);
      expect(removed.body.pending_deletes).toEqual({ servers: ['fresh/a'], backends: ['fresh'] });
      const port = await echo('back');
      const back = site({ fresh: [{ name: 'a', port }] });
      const revived = await talk.runtime(siteFiles(back, { '/fresh': 'fresh' }), create(port));
      expect(revived.body).toMatchObject({ ok: true, mode: 'runtime' });
      expect(await visit(back, '/fresh')).toEqual({ status: 200, body: 'back' });
      held.release();
      expect((await answer).body).toBe('done');
      expect((await harness.state('?plan=0')).pending_deletes).toEqual({ servers: [], backends: [] });
      expect(await haproxy.reloads()).toBe(1);
    });

  it('loses the request when its time to drain is over, and not before', async () => {
    const { held, answer } = await withRequest();
    const { haproxy } = scene();
    await haproxy.cli('disable server app/a');
    let now = 0;
    const deletes = createDeferredDeletes({
      socket: haproxy.workerSocket,
      drainTimeoutMs: 60_000,
      now: () => now,
      onOutcome: () => undefined,
    });
    let ended = false;
    const end = answer.then(
      ({ status }) => {
        ended = true;
        return status;
      },
      () => {
        ended = true;
        return 0;
      },
    );
    await deletes.add(await readWorkerIdentity(haproxy.workerSocket), [{ kind: 'server', ...target }]);
    now = 59_999;
    expect((await deletes.admit([{ kind: 'server', ...target }])).ok).toBe(false);
    expect(ended).toBe(false);
    now = 60_000;
    await eventually('the server is deleted', () =>
      deletes.pending().servers.length === 0 ? true : undefined,
    );
    expect(await end).not.toBe(200);
    deletes.stop();
    held.release();
  });
});
