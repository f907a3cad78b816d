import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { FilePatch } from '../../src/agent/files/file-patch.ts';
import type { HeldFile } from '../../src/agent/files/held-files.ts';
import type { JournalEntry } from '../../src/agent/files/journal.ts';
import { type AgentRecord, noPlan, type Wanted } from '../../src/agent/state/agent-record.ts';
import { decodeRecord, encodeRecord } from '../../src/agent/state/record-codec.ts';
import { digest } from '../../src/lib/digest.ts';
import { applyBody, manifestOf } from '../fixtures/agent-harness.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bootstrapConfig, eventually } from '../fixtures/haproxy-process.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';

/** Where an apply was when its agent ended. */
interface Instant {
  /** Paths that already hold what the apply wants. */
  readonly done: readonly string[];
  /** Wanted contents that are in staging files. */
  readonly staged: readonly string[];
  /** Former contents that are still linked somewhere. */
  readonly linked: readonly string[];
  /** Commands or a reload were on their way as well; default: true. */
  readonly worker?: boolean;
  /** The worker had it, and that was answered; default: false. */
  readonly answered?: boolean;
  /** Wanted contents that are on record as changes of the former ones. */
  readonly patched?: readonly string[];
}

const changed = ['maps/path.map', 'haproxy.cfg', 'notes/new.txt', 'notes/gone.txt'];
const written = ['maps/path.map', 'haproxy.cfg', 'notes/new.txt'];
const replaced = ['maps/path.map', 'haproxy.cfg', 'notes/gone.txt'];

describeEachLine('an agent that ended amid an apply', (line) => {
  const scene = useAgentScene(line);
  const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);
  /** File times lag behind the clock: a HAProxy that starts within that lag is reloaded to be sure. */
  const untilFilesAreOlder = async () => {
    const changedAt = Date.now();
    await eventually('a file time is past now', async () => {
      await writeFile(inBase('.probe'), '');
      const { ctimeMs } = await stat(inBase('.probe'));
      return ctimeMs > changedAt + 20 || undefined;
    });
    await rm(inBase('.probe'));
  };
  const record = async (): Promise<AgentRecord> => {
    const decoded = decodeRecord(await readFile(inBase('.haptic-agent.json'), 'utf8'));
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.record;
  };
  const put = async (name: string, text: string | undefined) => {
    if (text === undefined) return rm(inBase(name), { force: true });
    await mkdir(path.dirname(inBase(name)), { recursive: true });
    return writeFile(inBase(name), text);
  };

  /** A pod on `former`, and what a second apply would make of it. */
  const begin = async () => {
    const { talk, site, echo } = scene();
    const here = site({ app: [{ name: 'a', port: await echo('one') }] });
    const former: Record<string, string> = {
      ...siteFiles(here, { '/': 'app', '/former': 'app' }),
      'notes/gone.txt': 'former',
      'notes/same.txt': 'same',
    };
    const wanted: Record<string, string> = {
      'haproxy.cfg': `${former['haproxy.cfg'] ?? ''}# wanted\n`,
      'maps/path.map': '/ app\n/wanted app\n',
      'notes/new.txt': 'wanted',
      'notes/same.txt': 'same',
    };
    expect((await talk.reload(former)).body).toMatchObject({ ok: true });
    await scene().harness.stop();
    return { here, former, wanted, before: await record() };
  };
  const heldOf = (text: string, like: HeldFile | undefined): HeldFile => ({
    digest: digest(text),
    proof: digest(text),
    size: Buffer.byteLength(text),
    kind: like?.kind ?? 'general',
  });
  /** Puts record and files into the state of that instant. */
  const interrupt = async (
    { former, wanted, before }: Awaited<ReturnType<typeof begin>>,
    { done, staged, linked, worker = true, answered = false, patched = [] }: Instant,
  ) => {
    const changes = new Map(
      changed.map((name) => {
        const text = wanted[name];
        return [name, text === undefined ? undefined : heldOf(text, before.files.get(name))] as const;
      }),
    );
    const journal = new Map(
      changed.map((name, index): [string, JournalEntry] => {
        const held = before.files.get(name);
        if (held === undefined) return [name, { kind: 'created' }];
        const kind = name in wanted ? 'modified' : 'deleted';
        return [name, { kind, link: `.haptic-lkg/t-${String(index)}`, held }];
      }),
    );
    const patches = Object.fromEntries(
      patched.map((name): [string, FilePatch] => {
        const [old, next] = [former[name] ?? '', wanted[name] ?? ''];
        let offset = 0;
        while (offset < old.length && old[offset] === next[offset]) offset++;
        const base = { digest: digest(old), size: Buffer.byteLength(old) };
        const bytes = Buffer.from(next.slice(offset));
        return [name, { base, offset, length: old.length - offset, bytes }];
      }),
    );
    const apply: Wanted = {
      plan: { id: 'plan-2', proof: 'a:2' },
      token: { leader_epoch: 1, render_seq: 2 },
      changes,
      patches: new Map(Object.entries(patches)),
      worker: worker && !answered,
    };
    const phase = answered ? 'placing' : 'applying';
    const under: AgentRecord = { ...before, phase, proofCounter: 2, journal, wanted: apply };
    await writeFile(inBase('.haptic-agent.json'), encodeRecord(under));
    for (const name of done) await put(name, wanted[name]);
    for (const name of staged) await put(`.haptic-tmp/s-${name.replaceAll('/', '-')}`, wanted[name]);
    for (const [name, entry] of journal)
      if (entry.kind !== 'created' && linked.includes(name)) await put(entry.link, former[name]);
  };
  const tree = async (names: readonly string[]) =>
    Object.fromEntries(
      await Promise.all(
        names.map(
          async (name) => [name, await readFile(inBase(name), 'utf8').catch(() => undefined)] as const,
        ),
      ),
    );
  const allNames = [...changed, 'notes/same.txt'];
  const expectOnDisk = async (files: Record<string, string>) =>
    expect(await tree(allNames)).toEqual(Object.fromEntries(allNames.map((name) => [name, files[name]])));
  const leftovers = async () => {
    const names = await Promise.all(
      ['.haptic-tmp', '.haptic-lkg'].map((folder) => readdir(inBase(folder)).catch(() => [])),
    );
    return names.flat().filter((name) => name !== 'config');
  };

  it.each<[string, Instant]>([
    ['before the first byte', { done: [], staged: [], linked: [] }],
    ['with half of the bytes staged', { done: [], staged: ['maps/path.map'], linked: [] }],
    ['with all bytes staged', { done: [], staged: written, linked: ['maps/path.map'] }],
    ['with files in place whose others were lost', { done: ['maps/path.map'], staged: [], linked: replaced }],
  ])('%s: on the former set, after one reload', async (_when, instant) => {
    const start = await begin();
    await interrupt(start, instant);
    await scene().restartAgent();
    const { harness, haproxy } = scene();
    expect(await harness.state('?verify=1')).toMatchObject({
      applied_plan_id: 'plan-1',
      running_plan_id: 'plan-1',
      worker_ops_plan_id: 'plan-1',
      lkg_plan_id: 'plan-1',
      applied_token: { render_seq: 1 },
      generation: 1,
    });
    await expectOnDisk(start.former);
    expect(await haproxy.reloads()).toBe(2);
    expect((await visit(start.here, '/former')).body).toBe('one');
    expect(await leftovers()).toEqual([]);
    const next = await scene().talk.reload(start.wanted, 'plan-3');
    expect(next.body).toMatchObject({ ok: true, applied_plan_proof: 'a:3' });
  });

  it.each<[string, Instant]>([
    [
      'after the first rename',
      { done: ['notes/new.txt'], staged: ['maps/path.map', 'haproxy.cfg'], linked: [] },
    ],
    ['before the removals', { done: written, staged: [], linked: replaced }],
    ['with all done', { done: changed, staged: [], linked: replaced }],
  ])('%s: on the wanted set, after one reload', async (_when, instant) => {
    const start = await begin();
    await interrupt(start, instant);
    await scene().restartAgent();
    const { harness, haproxy } = scene();
    expect(await harness.state('?verify=1')).toMatchObject({
      applied_plan_id: 'plan-2',
      applied_plan_proof: 'a:2',
      running_plan_id: 'plan-2',
      worker_ops_plan_id: 'plan-2',
      lkg_plan_id: 'plan-2',
      applied_token: { leader_epoch: 1, render_seq: 2 },
      generation: 2,
    });
    await expectOnDisk(start.wanted);
    expect(await haproxy.reloads()).toBe(2);
    expect((await visit(start.here, '/wanted')).body).toBe('one');
    expect(await leftovers()).toEqual([]);
    const next = await scene().talk.reload(start.former, 'plan-3');
    expect(next.body).toMatchObject({ ok: true, applied_plan_proof: 'a:3' });
  });

  /** As the worker is when commands have done all of it. */
  const reachedByCommands = async () => {
    const { haproxy } = scene();
    await haproxy.cli('add map maps/path.map /wanted app');
    await haproxy.cli('del map maps/path.map /former');
  };
  const copied = ['.haptic-lkg/config'];
  it.each<[string, Instant, 'image' | undefined]>([
    ['before the first file', { done: [], staged: written, linked: [] }, undefined],
    ['with one link made', { done: [], staged: written, linked: ['maps/path.map'] }, undefined],
    [
      'after the first rename',
      { done: ['maps/path.map'], staged: ['haproxy.cfg', 'notes/new.txt'], linked: ['maps/path.map'] },
      undefined,
    ],
    [
      'with bytes that are on record only',
      { done: [], staged: ['notes/new.txt'], linked: [], patched: ['maps/path.map', 'haproxy.cfg'] },
      undefined,
    ],
    [
      'with bytes that are on record only, some in place',
      {
        done: ['notes/new.txt', 'maps/path.map'],
        staged: [],
        linked: ['maps/path.map'],
        patched: ['maps/path.map', 'haproxy.cfg'],
      },
      undefined,
    ],
    [
      'with bytes that are on record only, under an image’s configuration',
      { done: [], staged: ['notes/new.txt'], linked: [], patched: ['maps/path.map', 'haproxy.cfg'] },
      'image',
    ],
    ['before the removals', { done: written, staged: [], linked: replaced }, undefined],
    ['with all in place', { done: changed, staged: [], linked: replaced }, undefined],
    [
      'before the first file, under an image’s configuration',
      { done: [], staged: written, linked: [] },
      'image',
    ],
    [
      'after the last rename, under an image’s configuration',
      { done: written, staged: copied, linked: replaced },
      'image',
    ],
  ])('after the answer, %s: on what was answered, with the way back', async (_when, instant, image) => {
    const start = await begin();
    const { haproxy } = scene();
    await reachedByCommands();
    const staged = instant.staged.filter((name) => name in start.wanted);
    await interrupt(start, { ...instant, staged, answered: true });
    if (instant.staged.includes('.haptic-lkg/config'))
      await put('.haptic-lkg/config', start.wanted['haproxy.cfg']);
    if (image !== undefined) await put('haproxy.cfg', bootstrapConfig(haproxy.baseDir));
    await scene().restartAgent();
    const { harness } = scene();
    expect(await harness.state('?verify=1')).toMatchObject({
      applied_plan_id: 'plan-2',
      applied_plan_proof: 'a:2',
      running_plan_id: 'plan-2',
      worker_ops_plan_id: 'plan-2',
      lkg_plan_id: 'plan-1',
      applied_token: { leader_epoch: 1, render_seq: 2 },
      generation: 2,
    });
    await expectOnDisk(start.wanted);
    expect(await haproxy.reloads()).toBe(1);
    expect((await visit(start.here, '/wanted')).body).toBe('one');
    const state = await harness.state();
    const reply = await harness.send(
      applyBody(manifestOf(state, {}, { plan_id: 'plan-2', plan_proof: 'a:2', mode: 'revert_lkg' }), {}),
    );
    expect(reply.body).toMatchObject({ ok: true, applied_plan_id: 'plan-1' });
    await expectOnDisk(start.former);
    expect((await visit(start.here, '/former')).body).toBe('one');
  });

  it('after the answer, with a HAProxy that was started on the former files meanwhile: reloaded', async () => {
    const start = await begin();
    await interrupt(start, { done: [], staged: written, linked: [], answered: true });
    const { haproxy } = scene();
    await haproxy.kill();
    await haproxy.start();
    await scene().restartAgent();
    const state = await scene().harness.state();
    expect(state).toMatchObject({ applied_plan_id: 'plan-2', running_plan_id: 'plan-2' });
    expect((await visit(start.here, '/wanted')).body).toBe('one');
    expect(await haproxy.reloads()).toBe(1);
  });

  it('after the answer, on a machine that lost the bytes: on the former set, after one reload', async () => {
    const start = await begin();
    await reachedByCommands();
    await interrupt(start, { done: [], staged: ['maps/path.map'], linked: [], answered: true });
    await scene().restartAgent();
    const { harness, haproxy } = scene();
    expect(await harness.state('?verify=1')).toMatchObject({
      applied_plan_id: 'plan-1',
      running_plan_id: 'plan-1',
      lkg_plan_id: 'plan-1',
      generation: 1,
    });
    await expectOnDisk(start.former);
    expect(await haproxy.reloads()).toBe(2);
    expect((await visit(start.here, '/former')).body).toBe('one');
    expect((await visit(start.here, '/wanted')).status).toBe(404);
  });

  it('that only changed files: without a reload', async () => {
    const start = await begin();
    await interrupt(start, { done: changed, staged: [], linked: replaced, worker: false });
    await scene().restartAgent();
    const { harness, haproxy } = scene();
    expect(await harness.state()).toMatchObject({ applied_plan_id: 'plan-2', running_plan_id: 'plan-2' });
    expect(await haproxy.reloads()).toBe(1);
  });

  it('by a reload that HAProxy finished by itself: without another one', async () => {
    const start = await begin();
    await interrupt(start, { done: changed, staged: [], linked: replaced });
    const { haproxy } = scene();
    const before = await haproxy.workerPid();
    await haproxy.kill();
    await untilFilesAreOlder();
    await haproxy.start();
    expect(await haproxy.workerPid()).not.toBe(before);
    await scene().restartAgent();
    const running = { applied_plan_id: 'plan-2', running_plan_id: 'plan-2', worker_ops_plan_id: 'plan-2' };
    expect(await scene().harness.state()).toMatchObject(running);
    expect(await haproxy.reloads()).toBe(0);
    expect((await visit(start.here, '/wanted')).body).toBe('one');
  });

  it('whose bytes are lost in both directions: loads no mixture, and claims nothing', async () => {
    const start = await begin();
    await interrupt(start, { done: ['maps/path.map'], staged: [], linked: [] });
    await scene().restartAgent();
    const { harness, haproxy, talk } = scene();
    expect(await harness.state()).toMatchObject({
      applied_plan_id: '',
      running_plan_id: '',
      lkg_plan_id: '',
    });
    expect(await haproxy.reloads()).toBe(1);
    expect((await talk.reload(start.wanted, 'plan-3')).body).toMatchObject({ ok: true });
    await expectOnDisk(start.wanted);
  });

  it('that wants what HAProxy refuses: back on the last known good set', async () => {
    const start = await begin();
    const bad = { ...start, wanted: { ...start.wanted, 'haproxy.cfg': 'bogus keyword\n' } };
    await interrupt(bad, { done: changed, staged: [], linked: replaced });
    await scene().restartAgent();
    const { harness, haproxy } = scene();
    const state = await harness.state('?verify=1');
    expect(state).toMatchObject({ applied_plan_id: '', lkg_plan_id: 'plan-1' });
    expect(state.last_apply).toMatchObject({ plan_id: 'plan-2', ok: false, mode: 'rejected' });
    await expectOnDisk(start.former);
    expect((await visit(start.here, '/former')).body).toBe('one');
    expect(await haproxy.workerPid()).toBe(state.haproxy.worker_pid);
  });

  it.each([
    ['none of it done', [], false],
    ['half of it done', ['maps/path.map', 'notes/gone.txt'], false],
    ['the worker touched as well', ['maps/path.map'], true],
    ['the worker brought further by an apply before', ['maps/path.map'], 'earlier'],
  ] as const)('while it put files back, %s: goes on backwards', async (_when, back, touched) => {
    const start = await begin();
    await interrupt(start, { done: changed, staged: [], linked: replaced });
    const { wanted: _wanted, ...under } = await record();
    const plan = start.before.applied;
    const aborting: AgentRecord = {
      ...under,
      phase: 'aborting',
      wanted: undefined,
      applied: noPlan,
      running: touched === 'earlier' ? { id: 'plan-x', proof: 'a:1' } : plan,
      workerOps: touched === 'earlier' ? { id: 'plan-x', proof: 'a:1' } : touched ? noPlan : plan,
      files: new Map(
        Object.entries(start.wanted).map(([name, text]) => [
          name,
          heldOf(text, start.before.files.get(name)),
        ]),
      ),
    };
    await writeFile(inBase('.haptic-agent.json'), encodeRecord(aborting));
    for (const name of back) await put(name, start.former[name]);
    await scene().restartAgent();
    const { harness, haproxy } = scene();
    const state = await harness.state('?verify=1');
    expect(state).not.toHaveProperty('invariant_violation');
    expect(state).toMatchObject({ applied_plan_id: '', lkg_plan_id: 'plan-1' });
    await expectOnDisk(start.former);
    expect(await haproxy.reloads()).toBe(touched === false ? 1 : 2);
    expect((await visit(start.here, '/former')).body).toBe('one');
    expect((await scene().talk.reload(start.wanted, 'plan-3')).body).toMatchObject({ ok: true });
  });

  it('while it put files back, and an image’s configuration came over one that had not changed: both are put right', async () => {
    const { here, former } = await begin();
    const text = (await readFile(inBase('.haptic-lkg/config'))).toString();
    expect(text).toBe(former['haproxy.cfg']);
    const under = await record();
    const created = new Map<string, JournalEntry>([['notes/late.txt', { kind: 'created' }]]);
    const aborting = { ...under, phase: 'aborting', applied: noPlan, journal: created } as const;
    await writeFile(inBase('.haptic-agent.json'), encodeRecord(aborting));
    await put('notes/late.txt', 'late');
    await put('haproxy.cfg', bootstrapConfig(scene().haproxy.baseDir));
    await scene().restartAgent();
    const state = await scene().harness.state('?verify=1');
    expect(state).not.toHaveProperty('invariant_violation');
    expect(state).toMatchObject({ lkg_plan_id: 'plan-1' });
    await expectOnDisk(former);
    await expect(readFile(inBase('notes/late.txt'))).rejects.toThrow('ENOENT');
    expect((await visit(here, '/former')).body).toBe('one');
  });

  it('before HAProxy is there: files first', async () => {
    const start = await begin();
    await interrupt(start, { done: ['notes/new.txt'], staged: ['maps/path.map', 'haproxy.cfg'], linked: [] });
    const { haproxy } = scene();
    await haproxy.kill();
    const restarted = scene().restartAgent();
    for (;;) {
      const now = await tree(allNames);
      if (now['haproxy.cfg'] === start.wanted['haproxy.cfg'] && now['notes/gone.txt'] === undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await expectOnDisk(start.wanted);
    // A HAProxy that began before the record says so may have read either set, and is reloaded.
    await eventually(
      'the files are on record',
      async () => (await record()).phase !== 'applying' || undefined,
    );
    await untilFilesAreOlder();
    await haproxy.start();
    await restarted;
    expect(await scene().harness.state()).toMatchObject({
      applied_plan_id: 'plan-2',
      running_plan_id: 'plan-2',
    });
    expect(await haproxy.reloads()).toBe(0);
  });
});
