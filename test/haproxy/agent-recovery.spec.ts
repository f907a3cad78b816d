import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startAgent } from '../fixtures/agent-harness.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bootstrapConfig, eventually } from '../fixtures/haproxy-process.ts';
import { decodeRecord, encodeRecord } from '../../src/agent/state/record-codec.ts';
import type { Operation } from '../../src/protocol/operation.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';

describeEachLine('the agent recovers from', (line) => {
  const scene = useAgentScene(line);
  const begin = async () => {
    const { talk, site, echo } = scene();
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const files = siteFiles(here, { '/': 'app' });
    expect((await talk.reload(files)).body.ok).toBe(true);
    return { here, files };
  };
  /** A configuration as a container's image has it, somewhere else. */
  const imageConfig = async () => {
    const file = inBase('image.cfg');
    await writeFile(file, bootstrapConfig(scene().haproxy.baseDir));
    return file;
  };
  const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);
  /** The files of the last apply are in place, which they are not before its answer, and the record is durable. */
  const settled = () => scene().harness.state('?verify=1');
  const applied = { applied_plan_id: 'plan-1', running_plan_id: 'plan-1', worker_ops_plan_id: 'plan-1' };
  const nothingKnown = { applied_plan_id: '', running_plan_id: '', worker_ops_plan_id: '' };

  it('its own restart: it knows what it knew, and goes on at runtime', async () => {
    const { here, files } = await begin();
    const { restartAgent, talk, haproxy } = scene();
    const before = await scene().harness.state();
    await restartAgent();
    const after = await scene().harness.state();
    expect(after).toMatchObject({ ...applied, generation: 1, applied_plan_proof: before.applied_plan_proof });
    expect(after.files).toEqual(before.files);
    expect(await haproxy.reloads()).toBe(1);
    const reply = await scene().talk.runtime({ ...files, 'maps/path.map': '/two app\n' }, [
      { kind: 'map_replace', path: 'maps/path.map' },
    ]);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime', applied_plan_proof: 'a:2' });
    expect((await visit(here, '/two')).body).toBe('one');
    expect(talk).not.toBe(scene().talk);
  });

  it('a killed HAProxy that comes back on the applied files: they are running', async () => {
    const { here, files } = await begin();
    const { haproxy, harness, talk } = scene();
    const old = (await harness.state()).haproxy.worker_pid;
    await haproxy.kill();
    await haproxy.start();
    const state = await eventually('the agent sees the new worker', async () => {
      const seen = await harness.state();
      return seen.haproxy.worker_pid === old ? undefined : seen;
    });
    expect(state).toMatchObject({ ...applied, haproxy: { worker_pid: await haproxy.workerPid() } });
    const reply = await talk.runtime({ ...files, 'maps/path.map': '/ app\n/x app\n' }, [
      { kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' },
    ]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    expect((await visit(here, '/x')).body).toBe('one');
  });

  it('a HAProxy that comes back on the configuration of its image: the accepted one is put back and loaded', async () => {
    const { here, files } = await begin();
    const { haproxy, harness, talk } = scene();
    const old = (await harness.state()).haproxy.worker_pid;
    await haproxy.kill();
    await copyFile(await imageConfig(), inBase('haproxy.cfg'));
    await haproxy.start();
    const image = await haproxy.workerPid();
    const state = await eventually('the accepted configuration runs', async () => {
      const seen = await harness.state();
      const { worker_pid: pid } = seen.haproxy;
      return pid !== old && pid !== image && seen.running_plan_id === 'plan-1' ? seen : undefined;
    });
    expect(state).toMatchObject({ ...applied, lkg_plan_id: 'plan-1' });
    expect(await readFile(inBase('haproxy.cfg'), 'utf8')).toBe(files['haproxy.cfg']);
    expect((await visit(here, '/')).body).toBe('one');
    expect((await talk.runtime({ ...files, 'maps/path.map': '' }, [])).body).toMatchObject({ ok: true });
  });

  it('the same while it was away as well: from its second copy', async () => {
    const { here, files } = await begin();
    const { haproxy, harness, restartAgent } = scene();
    await eventually('there is a second copy', async () =>
      (await readFile(inBase('.haptic-lkg/config'), 'utf8')) === files['haproxy.cfg'] ? true : undefined,
    );
    await harness.stop();
    await haproxy.kill();
    await copyFile(await imageConfig(), inBase('haproxy.cfg'));
    await haproxy.start();
    await restartAgent();
    const state = await eventually('the accepted configuration runs', async () => {
      const seen = await scene().harness.state();
      return seen.running_plan_id === 'plan-1' ? seen : undefined;
    });
    expect(state).toMatchObject(applied);
    expect(await readFile(inBase('haproxy.cfg'), 'utf8')).toBe(files['haproxy.cfg']);
    expect((await visit(here, '/')).body).toBe('one');
  });

  it('the same amid changes, before there is a second copy: on the last known good set', async () => {
    const { here, files } = await begin();
    const { haproxy, harness, talk, restartAgent } = scene();
    const next = { 'haproxy.cfg': `${files['haproxy.cfg'] ?? ''}# newer\n`, 'maps/path.map': '/new app\n' };
    const ops: Operation[] = [{ kind: 'map_replace', path: 'maps/path.map' }];
    expect((await talk.runtime(next, ops)).body).toMatchObject({ mode: 'runtime', lkg_plan_id: 'plan-1' });
    await harness.stop();
    await rm(inBase('.haptic-lkg/config'), { force: true });
    await haproxy.kill();
    await copyFile(await imageConfig(), inBase('haproxy.cfg'));
    await haproxy.start();
    await restartAgent();
    const state = await eventually('the last known good set runs', async () => {
      const seen = await scene().harness.state();
      return seen.running_plan_id === 'plan-1' ? seen : undefined;
    });
    expect(state).toMatchObject(applied);
    expect(await readFile(inBase('haproxy.cfg'), 'utf8')).toBe(files['haproxy.cfg']);
    expect(await readFile(inBase('maps/path.map'), 'utf8')).toBe(files['maps/path.map']);
    expect((await visit(here, '/')).body).toBe('one');
  });

  it('a HAProxy that cannot start on files that came by commands alone: the last known good ones are put back', async () => {
    const { here, files } = await begin();
    const { haproxy, talk, harness, counted, advance } = scene();
    const bad = { 'haproxy.cfg': 'bogus keyword\n', 'maps/path.map': '/bad app\n' };
    const reply = await talk.runtime(bad, [{ kind: 'map_replace', path: 'maps/path.map' }]);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    await haproxy.kill();
    await eventually('it is missed', () =>
      harness.logLines.join('').includes('waiting for HAProxy') ? true : undefined,
    );
    expect(await readFile(inBase('haproxy.cfg'), 'utf8')).toBe(bad['haproxy.cfg']);
    advance(10_000);
    await eventually('the good configuration is back', async () =>
      (await readFile(inBase('haproxy.cfg'), 'utf8')) === files['haproxy.cfg'] ? true : undefined,
    );
    await haproxy.start();
    const state = await eventually('it runs', async () => {
      const seen = await harness.state('?verify=1');
      return seen.running_plan_id === 'plan-1' ? seen : undefined;
    });
    expect(state).toMatchObject(applied);
    expect(state).not.toHaveProperty('invariant_violation');
    expect(counted).toContain('rolledBack');
    expect((await visit(here, '/')).body).toBe('one');
    expect((await talk.reload(files)).body).toMatchObject({ ok: true });
  });

  it('an apply for a worker that was killed: by a reload', async () => {
    const { here, files } = await begin();
    const { haproxy, talk } = scene();
    await haproxy.kill();
    await haproxy.start();
    const reply = await talk.runtime({ ...files, 'maps/path.map': '/ app\n/x app\n' }, [
      { kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' },
    ]);
    expect(reply.body).toMatchObject({ ok: true });
    expect((await visit(here, '/x')).body).toBe('one');
    if (reply.body.mode === 'reload') expect(reply.body.reload?.reason).toBe('worker_changed');
  });

  it('an apply while HAProxy is down: rejected, with the files as they were', async () => {
    const { here, files } = await begin();
    const { haproxy, harness, talk } = scene();
    await haproxy.kill();
    const next = { ...files, 'maps/path.map': '/x app\n' };
    const reply = await talk.runtime(next, [
      { kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' },
    ]);
    expect(reply.body).toMatchObject({ ok: false, mode: 'rejected', error: { stage: 'reload' } });
    expect(await readFile(inBase('maps/path.map'), 'utf8')).toBe(files['maps/path.map']);
    expect(await harness.state()).toMatchObject({ applied_plan_id: '' });
    await haproxy.start();
    const again = await eventually('the agent is served again', async () => {
      const attempt = await talk.reload(next);
      return attempt.body.ok ? attempt : undefined;
    });
    // At once, or with the reload that is tried again since HAProxy gave no answer.
    expect(['reload', 'scheduled']).toContain(again.body.mode);
    await eventually('it is served', async () =>
      (await visit(here, '/x')).body === 'one' ? true : undefined,
    );
  });

  it('a record of an apply that does not say which: what is on disk is reloaded, and nothing is claimed to be applied', async () => {
    await begin();
    const { harness, haproxy, restartAgent } = scene();
    await harness.stop();
    const decoded = decodeRecord(await readFile(inBase('.haptic-agent.json'), 'utf8'));
    if (!decoded.ok) throw new Error(decoded.reason);
    await writeFile(inBase('.haptic-agent.json'), encodeRecord({ ...decoded.record, phase: 'applying' }));
    await mkdir(inBase('.haptic-tmp'), { recursive: true });
    await writeFile(inBase('.haptic-tmp/7'), 'left behind');
    await restartAgent();
    expect(await haproxy.reloads()).toBe(2);
    expect(await scene().harness.state()).toMatchObject({
      applied_plan_id: '',
      running_plan_id: 'plan-1',
      generation: 1,
    });
    await expect(stat(inBase('.haptic-tmp/7'))).rejects.toThrow('ENOENT');
  });

  it('a file that was changed behind its back while it was away', async () => {
    const { here, files } = await begin();
    const { harness, haproxy, restartAgent } = scene();
    await harness.stop();
    await writeFile(inBase('maps/path.map'), '/sneaky app\n');
    await restartAgent();
    // The worker still serves what was accepted: a reload would make it serve the edit.
    expect(await haproxy.reloads()).toBe(1);
    expect((await visit(here, '/')).body).toBe('one');
    expect(await scene().harness.state()).toMatchObject(nothingKnown);
    expect((await scene().talk.reload(files)).body).toMatchObject({ ok: true });
    expect(await readFile(inBase('maps/path.map'), 'utf8')).toBe(files['maps/path.map']);
  });

  it('a file that is changed behind its back, once it is asked to look', async () => {
    const { files } = await begin();
    const { harness, talk } = scene();
    expect(await harness.state('?verify=1')).toMatchObject(applied);
    await writeFile(inBase('maps/path.map'), '/sneaky app\n');
    expect(await harness.state()).toMatchObject(applied);
    const state = await harness.state('?verify=1');
    expect(state).toMatchObject(nothingKnown);
    expect(state.invariant_violation).toContain('maps/path.map');
    expect((await talk.reload(files)).body).toMatchObject({ ok: true });
    expect(await harness.state('?verify=1')).not.toHaveProperty('invariant_violation');
  });

  it.each([
    ['corrupt', '{"format":"haptic-agent-record","ver'],
    ['foreign', '{"schema":3,"applied":"x"}'],
    ['of a later version', '{"format":"haptic-agent-record","version":99}'],
  ])('a state file that is %s', async (_what, text) => {
    const { files } = await begin();
    const { harness, haproxy, restartAgent } = scene();
    await harness.stop();
    await writeFile(inBase('.haptic-agent.json'), text);
    await restartAgent();
    expect(await scene().harness.state()).toMatchObject({ ...nothingKnown, files: {} });
    expect(scene().harness.logLines.join('')).toContain('state file is not usable');
    expect(await haproxy.reloads()).toBe(1);
    expect((await scene().talk.reload(files)).body).toMatchObject({ ok: true, mode: 'reload' });
  });

  it('files that cannot be put in place: nothing is half written, and the worker serves what is on disk', async () => {
    const { here, files } = await begin();
    const { harness, talk, haproxy } = scene();
    await mkdir(inBase('maps/z.map/blocked'), { recursive: true });
    const next = { ...files, 'maps/path.map': '/x app\n', 'maps/z.map': 'k v\n' };
    const plain = await talk.runtime(next, []);
    expect(plain).toMatchObject({ status: 500, body: { stage: 'write' } });
    expect(await readFile(inBase('maps/path.map'), 'utf8')).toBe(files['maps/path.map']);
    expect(await harness.state()).toMatchObject({ ...applied, generation: 1 });
    expect(await haproxy.reloads()).toBe(1);
    const touched = await talk.runtime(next, [
      { kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' },
    ]);
    expect(touched).toMatchObject({ status: 500, body: { stage: 'write' } });
    expect(await haproxy.reloads()).toBe(1);
    expect((await visit(here, '/x')).status).toBe(404);
    expect((await visit(here, '/')).body).toBe('one');
    expect(await harness.state()).toMatchObject(applied);
    await rm(inBase('maps/z.map'), { recursive: true });
    expect((await talk.reload(next)).body).toMatchObject({ ok: true });
  });

  it('a disk that refuses to put files in place when they were answered for: the worker is back on what is there', async () => {
    const { here, files } = await begin();
    const { harness, talk, haproxy } = scene();
    const first = { ...files, 'notes/a.txt': 'a' };
    const add = [{ kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' }] as const;
    expect((await talk.runtime({ ...first, 'notes/b.txt': 'b' }, [])).body).toMatchObject({ ok: true });
    expect((await talk.runtime(first, [])).body).toMatchObject({ ok: true });
    await settled();
    // Where the former map was to be kept.
    await rm(inBase('.haptic-lkg'), { recursive: true });
    await rm(inBase('maps/.haptic-lkg'), { recursive: true, force: true });
    await writeFile(inBase('.haptic-lkg'), 'no folder');
    const reply = await talk.runtime({ ...first, 'maps/path.map': '/x app\n' }, add);
    expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
    await settled();
    expect(await readFile(inBase('maps/path.map'), 'utf8')).toBe(files['maps/path.map']);
    expect(await haproxy.reloads()).toBe(2);
    expect((await visit(here, '/x')).status).toBe(404);
    expect((await visit(here, '/')).body).toBe('one');
    const state = await harness.state('?verify=1');
    expect(state).not.toHaveProperty('invariant_violation');
    expect(state).toMatchObject({ applied_plan_id: '', running_plan_id: 'plan-3' });
    await rm(inBase('.haptic-lkg'));
    expect((await talk.reload({ ...first, 'maps/path.map': '/x app\n' })).body).toMatchObject({ ok: true });
    expect((await visit(here, '/x')).body).toBe('one');
  });

  it('a state file that cannot be written: the apply is refused before anything happens', async () => {
    const { files } = await begin();
    const { harness, talk, haproxy } = scene();
    await settled();
    await rm(inBase('.haptic-agent.json'));
    await mkdir(inBase('.haptic-agent.json/blocked'), { recursive: true });
    const reply = await talk.runtime({ ...files, 'maps/path.map': '/x app\n' }, [
      { kind: 'map_add', path: 'maps/path.map', key: '/x', value: 'app' },
    ]);
    expect(reply).toMatchObject({ status: 500, body: { stage: 'write' } });
    expect(await readFile(inBase('maps/path.map'), 'utf8')).toBe(files['maps/path.map']);
    expect(await haproxy.cli('show map maps/path.map')).not.toContain('/x');
    expect(await harness.state()).toMatchObject(applied);
    await rm(inBase('.haptic-agent.json'), { recursive: true });
    expect((await talk.runtime({ ...files, 'maps/path.map': '/x app\n' }, [])).body.ok).toBe(true);
  });

  it('a HAProxy that starts later than it does', async () => {
    const { haproxy, harness } = scene();
    await harness.stop();
    await haproxy.kill();
    const early = await startAgent(haproxy, { waitReady: false });
    try {
      const ready = async () => (await fetch(`${early.url}/readyz`)).status;
      expect(await ready()).toBe(503);
      expect((await fetch(`${early.url}/healthz`)).status).toBe(200);
      expect(await early.send(new FormData())).toMatchObject({ status: 503, body: { stage: 'startup' } });
      await haproxy.start();
      await eventually('the agent is ready', async () => ((await ready()) === 200 ? true : undefined));
    } finally {
      await early.stop();
    }
  });
});
