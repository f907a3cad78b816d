import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Operation } from '../../src/protocol/operation.ts';
import type { AgentState, ApplyManifest } from '../../src/protocol/wire.ts';
import { applyBody, manifestOf } from '../fixtures/agent-harness.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';

describeEachLine('the last known good set', (line) => {
  const scene = useAgentScene(line);
  const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);
  const replaceMap: readonly Operation[] = [{ kind: 'map_replace', path: 'maps/path.map' }];
  /** One plan loaded by HAProxy (`plan-1`), and two more on top of it at runtime. */
  const begin = async () => {
    const { talk, site, echo } = scene();
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const good: Record<string, string> = {
      ...siteFiles(here, { '/': 'app' }),
      'notes/keep.txt': 'good',
      'notes/gone.txt': 'good',
    };
    expect((await talk.reload(good)).body).toMatchObject({ ok: true, lkg_plan_id: 'plan-1' });
    const { 'notes/gone.txt': _gone, ...rest } = good;
    const second = { ...rest, 'maps/path.map': '/second app\n', 'notes/keep.txt': 'second' };
    const third: Record<string, string> = {
      ...second,
      'maps/path.map': '/third app\n',
      'notes/new.txt': 'third',
    };
    for (const files of [second, third])
      expect((await talk.runtime(files, replaceMap)).body).toMatchObject({
        mode: 'runtime',
        lkg_plan_id: 'plan-1',
      });
    return { here, good, second, third, state: await scene().harness.state() };
  };
  const revert = (state: AgentState, overrides: Partial<ApplyManifest> = {}) =>
    scene().harness.send(
      applyBody(
        manifestOf(
          state,
          {},
          {
            plan_id: state.applied_plan_id,
            plan_proof: state.applied_plan_proof,
            mode: 'revert_lkg',
            expected_prev_plan_id: 'whatever',
            ...overrides,
          },
        ),
        {},
      ),
    );
  const onDisk = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) expect(await readFile(inBase(name), 'utf8')).toBe(text);
  };

  it('comes back whole when the plan on top of it is refused: changed, removed and new files', async () => {
    const { here, good, state } = await begin();
    const { haproxy, harness, talk } = scene();
    const reply = await revert(state);
    expect(reply.body).toMatchObject({
      ok: true,
      mode: 'reload',
      applied_plan_id: 'plan-1',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: 'plan-1',
      lkg_plan_id: 'plan-1',
      rollback: { performed: true, reloaded: true },
      reload: { performed: true, ok: true },
    });
    expect(reply.body.applied_plan_proof).not.toBe('a:1');
    await onDisk(good);
    await expect(stat(inBase('notes/new.txt'))).rejects.toThrow('ENOENT');
    expect((await visit(here, '/')).body).toBe('one');
    expect((await visit(here, '/third')).status).toBe(404);
    expect(await haproxy.reloads()).toBe(2);
    const after = await harness.state('?verify=1');
    expect(after).not.toHaveProperty('invariant_violation');
    expect(after.generation).toBe(state.generation + 1);
    const next = await talk.runtime({ ...good, 'maps/path.map': '/next app\n' }, replaceMap);
    expect(next.status).toBe(409);
    expect(next.body.missing).toEqual(['maps/path.map', 'notes/keep.txt']);
    expect((await talk.reload({ ...good, 'maps/path.map': '/next app\n' })).body).toMatchObject({ ok: true });
  });

  it('is left alone by a revert of any other plan', async () => {
    const { here, third, state } = await begin();
    const { harness, talk, haproxy } = scene();
    const wrong: Partial<ApplyManifest>[] = [
      { plan_id: 'plan-2' },
      { plan_proof: 'a:1' },
      { plan_id: 'plan-1', plan_proof: 'a:1' },
    ];
    for (const overrides of wrong)
      expect(await revert(state, overrides)).toMatchObject({
        status: 409,
        body: { reason: 'revert_target_mismatch', applied_plan_id: 'plan-3' },
      });
    const stale = await revert(state, { token: { leader_epoch: 0, render_seq: 9 } });
    expect(stale).toMatchObject({ status: 409, body: { reason: 'stale_epoch' } });
    await onDisk(third);
    expect((await visit(here, '/third')).body).toBe('one');
    expect(await haproxy.reloads()).toBe(1);
    // One that HAProxy itself has loaded is the good one: there is nothing to leave it for.
    await talk.reload(third);
    const loaded = await harness.state();
    expect(await revert(loaded)).toMatchObject({ status: 409, body: { reason: 'revert_target_mismatch' } });
  });

  it('is the applied plan once the gate has passed it, and the way back begins there', async () => {
    const { second, third, state, here } = await begin();
    const { talk, harness } = scene();
    const validated = {
      validated_plan_id: state.applied_plan_id,
      validated_plan_proof: state.applied_plan_proof,
    };
    const missed = await talk.runtime(second, replaceMap, { ...validated, validated_plan_proof: 'a:1' });
    expect(missed.body).toMatchObject({ ok: true, lkg_plan_id: 'plan-1' });
    const back = await talk.runtime(third, replaceMap);
    const passed = await talk.runtime(second, replaceMap, {
      validated_plan_id: back.body.applied_plan_id,
      validated_plan_proof: back.body.applied_plan_proof,
    });
    expect(passed.body).toMatchObject({ ok: true, mode: 'runtime', lkg_plan_id: back.body.plan_id });
    const reply = await revert(await harness.state());
    expect(reply.body).toMatchObject({ ok: true, applied_plan_id: back.body.plan_id });
    await onDisk(third);
    expect((await visit(here, '/third')).body).toBe('one');
  });

  it('is not moved by an apply that is refused', async () => {
    const { third, state } = await begin();
    const { harness } = scene();
    const manifest = manifestOf(state, third, {
      validated_plan_id: state.applied_plan_id,
      validated_plan_proof: state.applied_plan_proof,
      expected_prev_plan_id: 'other',
    });
    expect((await harness.send(applyBody(manifest, {}))).status).toBe(409);
    expect(await harness.state()).toMatchObject({ lkg_plan_id: 'plan-1' });
  });

  it('survives the agent, with the way back to it', async () => {
    const { here, good } = await begin();
    await scene().restartAgent();
    const reply = await revert(await scene().harness.state());
    expect(reply.body).toMatchObject({ ok: true, applied_plan_id: 'plan-1' });
    await onDisk(good);
    expect((await visit(here, '/')).body).toBe('one');
  });

  it('takes the place of what HAProxy refuses, also on a worker that operations had touched', async () => {
    const { here, good, third } = await begin();
    const { talk, haproxy, harness, counted } = scene();
    const bad = { ...third, 'haproxy.cfg': `${third['haproxy.cfg'] ?? ''}bogus keyword\n` };
    const reply = await talk.runtime({ ...bad, 'maps/path.map': '/bad app\n' }, [
      ...replaceMap,
      { kind: 'server_set_weight', backend: 'nowhere', server: 'a', weight: 1 },
    ]);
    expect(reply.body).toMatchObject({
      ok: false,
      mode: 'rejected',
      applied_plan_id: '',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: 'plan-1',
      lkg_plan_id: 'plan-1',
      rollback: { performed: true, reloaded: true },
    });
    await onDisk(good);
    expect((await visit(here, '/')).body).toBe('one');
    expect((await visit(here, '/bad')).status).toBe(404);
    expect(await haproxy.reloads()).toBe(3);
    expect(counted).toContain('rolledBack');
    expect(await harness.state('?verify=1')).not.toHaveProperty('invariant_violation');
  });

  it('takes the place of what HAProxy refuses, also on a worker that earlier operations had brought further', async () => {
    const { here, good, third } = await begin();
    const { talk, haproxy, harness } = scene();
    expect((await visit(here, '/third')).body).toBe('one');
    const bad = { ...third, 'haproxy.cfg': `${third['haproxy.cfg'] ?? ''}bogus keyword\n` };
    expect((await talk.reload(bad)).body).toMatchObject({
      ok: false,
      mode: 'rejected',
      applied_plan_id: '',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: 'plan-1',
      rollback: { performed: true, reloaded: true },
    });
    await onDisk(good);
    // Files and worker are one plan.
    expect((await visit(here, '/third')).status).toBe(404);
    expect((await visit(here, '/')).body).toBe('one');
    expect(await haproxy.reloads()).toBe(3);
    expect(await harness.state('?verify=1')).not.toHaveProperty('invariant_violation');
  });

  it('need not be asked for when HAProxy has refused the very same a moment ago', async () => {
    const { here, good } = await begin();
    const { harness, haproxy, advance, talk, counted } = scene();
    const bad = { ...good, 'haproxy.cfg': `${good['haproxy.cfg'] ?? ''}bogus keyword\n` };
    const send = async (text: Readonly<Record<string, string>> = bad, id = 'bad') => {
      const state = await harness.state('?plan=0');
      const manifest = manifestOf(state, text, {
        plan_id: id,
        mode: 'reload',
        expected_worker_ops_plan_id: '',
        expected_worker_ops_plan_proof: '',
      });
      return harness.send(applyBody(manifest, text));
    };
    const first = await send();
    expect(first.body).toMatchObject({ ok: false, mode: 'rejected', error: { stage: 'reload' } });
    const reloads = await haproxy.reloads();
    const again = await send();
    expect(again.body).toMatchObject({
      ok: false,
      mode: 'rejected',
      error: { stage: 'known_bad', message: first.body.error?.message },
    });
    expect(again.body).not.toHaveProperty('rollback');
    expect(await haproxy.reloads()).toBe(reloads);
    expect(counted.slice(-2)).toEqual(['applied rejected', 'rejected known_bad']);
    // Anything else about the work makes it another one.
    expect((await send({ ...bad, 'notes/keep.txt': 'other' })).body.error?.stage).toBe('reload');
    expect((await send(bad, 'other')).body.error?.stage).toBe('reload');
    advance(61_000);
    expect((await send()).body.error?.stage).toBe('reload');
    expect((await talk.reload(good)).body).toMatchObject({ ok: true });
    expect((await visit(here, '/')).body).toBe('one');
  });

  it('does not count as refused what could not be asked', async () => {
    const { good } = await begin();
    const { haproxy, talk } = scene();
    await haproxy.kill();
    const unreachable = await talk.reload(good, 'same');
    expect(unreachable.body).toMatchObject({ ok: false, mode: 'rejected', error: { stage: 'reload' } });
    await haproxy.start();
    expect((await talk.reload(good, 'same')).body).toMatchObject({ ok: true, mode: 'reload' });
  });
});
