import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { manifestOf, patchBody } from '../fixtures/agent-harness.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';

const intervalMs = 60_000;

describeEachLine('an agent that paces reloads', (line) => {
  const scene = useAgentScene(line, { reloadIntervalMs: intervalMs });
  const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);
  /** One server, loaded by the reload that is let through at once. */
  const begin = async () => {
    const { talk, site, echo } = scene();
    const ports = [await echo('one'), await echo('two')] as const;
    const before = site({ app: [{ name: 'a', port: ports[0] }] });
    const files = siteFiles(before, { '/': 'app' });
    expect((await talk.reload(files)).body).toMatchObject({ ok: true, mode: 'reload' });
    const after = site({ app: [{ name: 'a', port: ports[1] }], more: [{ name: 'm', port: ports[1] }] });
    return { here: before, files, ports, next: siteFiles(after, { '/': 'app', '/more': 'more' }) };
  };
  const reloaded = (planId: string) =>
    eventually(`${planId} runs`, async () => {
      const state = await scene().harness.state();
      return state.running_plan_id === planId ? state : undefined;
    });

  it('puts the second off: the files are there, the worker gets them when the interval is over', async () => {
    const { here, next } = await begin();
    const { talk, haproxy, harness, advance } = scene();
    const reply = await talk.reload(next);
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'scheduled',
      applied_plan_id: 'plan-2',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: 'plan-1',
      lkg_plan_id: 'plan-1',
      reload: { performed: false, ok: true },
    });
    expect(await readFile(inBase('haproxy.cfg'), 'utf8')).toBe(next['haproxy.cfg']);
    const state = await harness.state();
    expect(state.reload_pending_at).toBe(reply.body.reload?.scheduled_at);
    expect(await haproxy.reloads()).toBe(1);
    expect((await visit(here, '/more')).status).toBe(404);
    advance(intervalMs);
    const after = await reloaded('plan-2');
    expect(after).toMatchObject({
      applied_plan_id: 'plan-2',
      worker_ops_plan_id: 'plan-2',
      lkg_plan_id: 'plan-2',
      last_apply: { plan_id: 'plan-2', ok: true, mode: 'reload' },
    });
    expect(after).not.toHaveProperty('reload_pending_at');
    expect((await visit(here, '/more')).body).toBe('two');
    expect(await haproxy.reloads()).toBe(2);
  });

  it('lets later applies into the one that is pending, which is never moved', async () => {
    const { here, files, next } = await begin();
    const { talk, haproxy, advance } = scene();
    const first = await talk.reload(next);
    advance(intervalMs / 2);
    const second = await talk.runtime({ ...next, 'maps/path.map': '/again app\n' }, [
      { kind: 'map_replace', path: 'maps/path.map' },
    ]);
    expect(second.body).toMatchObject({ ok: true, mode: 'scheduled', op_results: [] });
    const third = await talk.reload({ ...files, 'maps/path.map': '/third app\n' });
    for (const reply of [second, third])
      expect(reply.body.reload?.scheduled_at).toBe(first.body.reload?.scheduled_at);
    expect(await haproxy.cli('show map maps/path.map')).not.toContain('/again');
    advance(intervalMs / 2);
    await reloaded(third.body.plan_id);
    expect(await haproxy.reloads()).toBe(2);
    expect((await visit(here, '/third')).body).toBe('one');
  });

  it('runs what is safe on the worker at once, and remembers what the worker is on', async () => {
    const { here, ports, next } = await begin();
    const { harness, haproxy, talk, advance } = scene();
    const inPlace = (port: number, id: string) => ({
      mode: 'reload' as const,
      worker_ops_plan_id: id,
      in_place_ops: [
        { kind: 'server_set_addr' as const, backend: 'app', server: 'a', address: '127.0.0.1', port },
      ],
    });
    const reply = await talk.runtime(next, [], inPlace(ports[1], 'derived-1'));
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'scheduled',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: 'derived-1',
      op_results: [{ kind: 'server_set_addr', ok: true }],
    });
    expect((await visit(here, '/')).body).toBe('two');
    const state = await harness.state();
    expect(state.worker_ops_plan_proof).not.toBe(state.applied_plan_proof);
    // Of another worker state than the present one: refused, with nothing changed.
    const stale = manifestOf(state, next, {
      ...inPlace(ports[0], 'derived-2'),
      expected_worker_ops_plan_id: 'plan-1',
      expected_worker_ops_plan_proof: 'a:1',
    });
    const refused = await harness.send(patchBody(stale, next, next));
    expect(refused).toMatchObject({ status: 409, body: { reason: 'worker_ops_mismatch' } });
    expect((await visit(here, '/')).body).toBe('two');
    const again = await talk.runtime(next, [], { ...inPlace(ports[0], 'derived-3'), mode: 'auto' });
    expect(again.body).toMatchObject({ ok: true, mode: 'scheduled', worker_ops_plan_id: 'derived-3' });
    expect((await visit(here, '/')).body).toBe('one');
    advance(intervalMs);
    await reloaded(again.body.plan_id);
    expect((await visit(here, '/')).body).toBe('two');
    expect(await haproxy.reloads()).toBe(2);
  });

  it('does not know the worker any more when it refuses one of those', async () => {
    const { next } = await begin();
    const { harness, talk, advance, counted } = scene();
    const reply = await talk.runtime(next, [], {
      mode: 'reload',
      worker_ops_plan_id: 'derived',
      in_place_ops: [{ kind: 'server_set_weight', backend: 'nowhere', server: 'a', weight: 1 }],
    });
    expect(reply.body).toMatchObject({ ok: true, mode: 'scheduled', worker_ops_plan_id: '' });
    expect(reply.body.op_results).toMatchObject([{ kind: 'server_set_weight', ok: false }]);
    expect(counted).toContain('operationError server_set_weight');
    const state = await harness.state();
    const auto = manifestOf(state, next, {
      plan_id: 'other',
      expected_worker_ops_plan_id: 'derived',
      expected_worker_ops_plan_proof: 'a:9',
    });
    expect(await harness.send(patchBody(auto, next, next))).toMatchObject({
      status: 409,
      body: { reason: 'worker_ops_mismatch' },
    });
    advance(intervalMs);
    await reloaded(reply.body.plan_id);
  });

  it('puts off what an operation that HAProxy refused has turned into a reload', async () => {
    const { here, files } = await begin();
    const { talk, advance, haproxy } = scene();
    const next = { ...files, 'maps/path.map': '/x app\n' };
    const reply = await talk.runtime(next, [
      { kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' },
      { kind: 'server_set_weight', backend: 'nowhere', server: 'a', weight: 1 },
    ]);
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'scheduled',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: '',
      reload: { reason: 'op_rejected' },
    });
    advance(intervalMs);
    expect(await reloaded('plan-2')).toMatchObject({ last_apply: { reload: { reason: 'op_rejected' } } });
    expect((await visit(here, '/x')).body).toBe('one');
    expect(await haproxy.reloads()).toBe(2);
  });

  it('goes back to the last known good set when HAProxy refuses what was put off, and tells', async () => {
    const { here, files } = await begin();
    const { talk, harness, haproxy, advance, counted, restartAgent } = scene();
    const worker = await haproxy.workerPid();
    const bad = { ...files, 'haproxy.cfg': `${files['haproxy.cfg'] ?? ''}bogus keyword\n`, 'new.txt': 'n' };
    expect((await talk.reload(bad)).body).toMatchObject({ ok: true, mode: 'scheduled' });
    expect((await talk.reload(bad)).body).toMatchObject({ ok: true, mode: 'scheduled' });
    advance(intervalMs);
    const refused = async () => {
      const seen = await scene().harness.state();
      return seen.last_apply?.ok === false ? seen : undefined;
    };
    const state = await eventually('the refusal is told', refused);
    expect(state).toMatchObject({
      applied_plan_id: '',
      running_plan_id: 'plan-1',
      lkg_plan_id: 'plan-1',
      last_apply: {
        plan_id: 'plan-3',
        mode: 'rejected',
        rollback: { performed: true, reloaded: false },
        error: { stage: 'reload' },
      },
    });
    expect(state).not.toHaveProperty('reload_pending_at');
    if (line.line !== '2.6') expect(state.last_apply?.error?.message).toContain('bogus');
    expect(await readFile(inBase('haproxy.cfg'), 'utf8')).toBe(files['haproxy.cfg']);
    await expect(readFile(inBase('new.txt'))).rejects.toThrow('ENOENT');
    expect(await haproxy.workerPid()).toBe(worker);
    expect((await visit(here, '/')).body).toBe('one');
    expect(counted.filter((name) => /^rolledBack|^reloaded/.test(name))).toEqual([
      'reloaded ok',
      'reloaded failed',
      'rolledBack',
    ]);
    await restartAgent();
    expect(await refused()).toMatchObject({ last_apply: { plan_id: 'plan-3' } });
    expect((await scene().talk.reload(files)).body).toMatchObject({ ok: true });
    expect(harness).not.toBe(scene().harness);
  });

  it('remembers over its own restart what is pending and when the last one was', async () => {
    const { here, files, next } = await begin();
    const { talk, haproxy, restartAgent, advance } = scene();
    const reply = await talk.reload(next);
    await restartAgent();
    const state = await scene().harness.state();
    expect(state).toMatchObject({
      applied_plan_id: 'plan-2',
      running_plan_id: 'plan-1',
      reload_pending_at: reply.body.reload?.scheduled_at,
    });
    expect(await haproxy.reloads()).toBe(1);
    advance(intervalMs);
    await reloaded('plan-2');
    await restartAgent();
    const third = await scene().talk.reload(files, 'plan-3');
    expect(third.body).toMatchObject({ ok: true, mode: 'scheduled' });
    expect(await haproxy.reloads()).toBe(2);
    expect((await visit(here, '/more')).body).toBe('two');
  });

  it('has nothing left to do when HAProxy was started on the new files meanwhile', async () => {
    const { here, next } = await begin();
    const { talk, haproxy } = scene();
    expect((await talk.reload(next)).body).toMatchObject({ mode: 'scheduled' });
    await haproxy.kill();
    await haproxy.start();
    const state = await reloaded('plan-2');
    expect(state).toMatchObject({ worker_ops_plan_id: 'plan-2', lkg_plan_id: 'plan-2' });
    expect(state).not.toHaveProperty('reload_pending_at');
    expect((await visit(here, '/more')).body).toBe('two');
  });

  it('reloads a worker that it finds different from the files, and that only once', async () => {
    const { here, files } = await begin();
    const { talk, harness, haproxy, advance, counted } = scene();
    const next = { ...files, 'maps/path.map': '/ app\n/x app\n' };
    const reply = await talk.runtime(next, [
      { kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' },
    ]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    await haproxy.cli('del map maps/path.map /x');
    const state = await eventually('the difference is found', async () => {
      const seen = await harness.state();
      return seen.reload_pending_at === undefined ? undefined : seen;
    });
    expect(state).toMatchObject({ applied_plan_id: 'plan-2', worker_ops_plan_id: '' });
    expect(counted).toContain('mapDivergence');
    advance(intervalMs);
    await eventually('it is reloaded', async () => ((await haproxy.reloads()) === 2 ? true : undefined));
    const after = await eventually('it is known', async () => {
      const seen = await harness.state();
      return seen.reload_pending_at === undefined ? seen : undefined;
    });
    expect(after).toMatchObject({ running_plan_id: 'plan-2', worker_ops_plan_id: 'plan-2' });
    expect(after.last_apply).toMatchObject({ ok: true, mode: 'reload', reload: { reason: 'diverged' } });
    expect(after.last_divergence).toMatchObject({ maps: ['maps/path.map'], servers: [] });
    expect((await visit(here, '/x')).body).toBe('one');
    expect(counted.filter((name) => name === 'mapDivergence')).toHaveLength(1);
  });

  it('drops what is pending once files turn out to be edited: nobody asked for that to be loaded', async () => {
    const { files, next } = await begin();
    const { talk, harness, haproxy } = scene();
    await talk.reload(next);
    await writeFile(inBase('maps/path.map'), '/sneaky app\n');
    const state = await harness.state('?verify=1');
    expect(state).toMatchObject({ applied_plan_id: '', lkg_plan_id: '' });
    expect(state).not.toHaveProperty('reload_pending_at');
    expect((await talk.reload(files)).body).toMatchObject({ ok: true, mode: 'scheduled' });
    expect(await haproxy.reloads()).toBe(1);
  });
});
