import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AgentRecord,
  emptyRecord,
  samePlanRef,
  withoutBaseline,
} from '../../../src/agent/state/agent-record.ts';
import type { HeldFile } from '../../../src/agent/files/held-files.ts';
import type { JournalEntry } from '../../../src/agent/files/journal.ts';
import type { ApplyResult } from '../../../src/protocol/wire.ts';
import { planBlobFile } from '../../../src/agent/state/plan-blob.ts';
import { decodeRecord, encodeRecord } from '../../../src/agent/state/record-codec.ts';
import { recordVersion } from '../../../src/agent/state/record-schema.ts';
import { openRecordStore } from '../../../src/agent/state/record-store.ts';

const hex = fc.stringMatching(/^[0-9a-f]{16}$/);
const ref = fc.record({ id: fc.string(), proof: fc.string() });
const count = fc.nat();
const name = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/);
const proxyName = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,12}$/);
const held: fc.Arbitrary<HeldFile> = fc.record({
  digest: hex,
  proof: fc.string(),
  size: count,
  kind: fc.constantFrom('config', 'map', 'cert', 'ca', 'crl', 'crtlist', 'general'),
});
const mapOf = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(name, value)).map((entries) => new Map(entries));
const token = fc.record({ leader_epoch: count, render_seq: count });
const journalEntry: fc.Arbitrary<JournalEntry> = fc.oneof(
  fc.constant<JournalEntry>({ kind: 'created' }),
  fc.record(
    {
      kind: fc.constantFrom('modified' as const, 'deleted' as const),
      link: fc.stringMatching(/^([a-z]{1,8}\/)?\.haptic-lkg\/[a-z0-9-]{1,9}$/),
      held,
    },
    { requiredKeys: ['kind', 'link'] },
  ),
);
const refused = { plan_id: 'p', ok: false, mode: 'rejected', error: { stage: 'reload', message: 'no' } };
const record: fc.Arbitrary<AgentRecord> = fc.record({
  phase: fc.constantFrom('committed', 'scheduled', 'applying', 'placing', 'aborting'),
  generation: count,
  proofCounter: count,
  appliedToken: token,
  applied: ref,
  running: ref,
  workerOps: ref,
  lkg: ref,
  journal: mapOf(journalEntry),
  wanted: fc.option(
    fc.record({
      plan: ref,
      token,
      changes: mapOf(fc.option(held, { nil: undefined })),
      patches: mapOf(
        fc.record({
          base: fc.record({ digest: held.map((file) => file.digest), size: count }),
          offset: count,
          length: count,
          bytes: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
        }),
      ),
      worker: fc.boolean(),
    }),
    { nil: undefined },
  ),
  reloadPending: fc.option(fc.record({ at: count, reason: fc.string() }, { requiredKeys: ['at'] }), {
    nil: undefined,
  }),
  lastReloadAt: fc.maxSafeNat(),
  worker: fc.option(
    fc.record({
      version: fc.string(),
      full_version: fc.string(),
      worker_pid: count,
      worker_start_time_unix_micros: fc.maxSafeNat(),
    }),
    { nil: undefined },
  ),
  filesCommittedAt: fc.maxSafeNat(),
  blob: fc.option(fc.record({ id: fc.string(), proof: fc.string(), digest: hex }), { nil: undefined }),
  pendingDeletes: fc.array(
    fc.record({
      target: fc.oneof(
        fc.record(
          {
            kind: fc.constant('server' as const),
            backend: proxyName,
            server: proxyName,
            keywords: fc.array(fc.record({ name: fc.string(), args: fc.array(fc.string()) })),
          },
          { requiredKeys: ['kind', 'backend', 'server'] },
        ),
        fc.record(
          {
            kind: fc.constant('backend' as const),
            backend: proxyName,
            profile: fc.string(),
            mode: fc.constantFrom('http' as const, 'tcp' as const),
            guid: fc.string(),
          },
          { requiredKeys: ['kind', 'backend'] },
        ),
      ),
      cutOffAt: fc.nat(),
    }),
  ),
  lastApply: fc.constantFrom(undefined, refused as unknown as ApplyResult),
  files: mapOf(held),
});

describe('the state file', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(record, (value) => {
        const decoded = decodeRecord(encodeRecord(value));
        expect(decoded).toEqual({ ok: true, record: value, base: value.files });
      }),
    );
  });

  it('gives back what was added to another, which says what differs', () => {
    const lines = fc.tuple(record, fc.array(record, { minLength: 1, maxLength: 4 }), fc.boolean());
    fc.assert(
      fc.property(lines, ([first, others, isNear]) => {
        // Mostly a few files differ.
        const added = others.map((one) =>
          isNear ? { ...one, files: new Map([...first.files, ...one.files].slice(1)) } : one,
        );
        const text = [first, ...added]
          .map((one, at) => encodeRecord(one, at === 0 ? undefined : first.files))
          .join('');
        expect(decodeRecord(text)).toEqual({ ok: true, record: added.at(-1), base: first.files });
        // Killed amid the last line.
        const before = [first, ...added].at(-2);
        expect(decodeRecord(text.slice(0, -2))).toEqual({ ok: true, record: before, base: first.files });
      }),
    );
  });

  it('says what differs where that is less than all, and is nothing without what it differs from', () => {
    const entry = { digest: '0'.repeat(16), proof: 'p', size: 1, kind: 'cert' } as const;
    const files = new Map(Array.from({ length: 2_000 }, (_, at) => [`ssl/${String(at)}.pem`, entry]));
    const whole = encodeRecord({ ...emptyRecord, files });
    const next = new Map([...files, ['ssl/7.pem', { ...entry, digest: 'f'.repeat(16) }], ['new', entry]]);
    next.delete('ssl/8.pem');
    const added = encodeRecord({ ...emptyRecord, files: next }, files);
    expect(whole.length).toBeGreaterThan(100_000);
    expect(added.length).toBeLessThan(1_500);
    expect(JSON.parse(added)).toMatchObject({
      files: { 'ssl/7.pem': { digest: 'f'.repeat(16) }, new: entry },
      removed_files: ['ssl/8.pem'],
    });
    expect(decodeRecord(`${whole}${added}`)).toMatchObject({ ok: true, record: { files: next } });
    expect(decodeRecord(added)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('first line') as string,
    });
    expect(decodeRecord(`${added}${whole}`)).toMatchObject({ ok: false });
    expect(decodeRecord(`{"format":"of another"}\n${added}`)).toMatchObject({ ok: false });
    expect(
      JSON.parse(encodeRecord({ ...emptyRecord, files: new Map([['a', entry]]) }, files)),
    ).not.toHaveProperty('removed_files');
  });

  it('is never taken for ours when a part is cut off or missing', () => {
    fc.assert(
      fc.property(record, fc.double({ min: 0, max: 0.999, noNaN: true }), (value, share) => {
        const text = encodeRecord(value).trimEnd();
        expect(decodeRecord(text.slice(0, Math.floor(text.length * share))).ok).toBe(false);
      }),
    );
    const whole = JSON.parse(encodeRecord(emptyRecord)) as Record<string, unknown>;
    for (const key of Object.keys(whole)) {
      const { [key]: _gone, ...rest } = whole;
      expect(decodeRecord(JSON.stringify(rest)).ok).toBe(false);
    }
    expect(decodeRecord(JSON.stringify({ ...whole, more: 1 })).ok).toBe(false);
    expect(decodeRecord(JSON.stringify({ ...whole, version: recordVersion + 1 })).ok).toBe(false);
  });

  it('cannot make the agent own a file outside its folder', () => {
    const held = { digest: '0'.repeat(16), proof: '', size: 0, kind: 'general' } as const;
    const outside = '../../etc/passwd';
    const patch = { base: { digest: held.digest, size: 0 }, offset: 0, length: 0, bytes: Buffer.from('x') };
    const wanted = {
      plan: { id: 'p', proof: 'a:1' },
      token: emptyRecord.appliedToken,
      changes: new Map(),
      patches: new Map(),
      worker: true,
    };
    const records: AgentRecord[] = [
      { ...emptyRecord, files: new Map([[outside, held]]) },
      { ...emptyRecord, journal: new Map([[outside, { kind: 'created' }]]) },
      { ...emptyRecord, wanted: { ...wanted, changes: new Map([[outside, held]]) } },
      { ...emptyRecord, wanted: { ...wanted, patches: new Map([[outside, patch]]) } },
    ];
    for (const record of records) expect(decodeRecord(encodeRecord(record))).toMatchObject({ ok: false });
  });

  it.each(['../x', '/etc/passwd', '.haptic-lkg/../x', 'a/../.haptic-lkg/1', '.haptic-lkg/a/b', 'maps/a.map'])(
    'cannot make the agent put back what it did not keep: %s',
    (link) => {
      const journal = new Map<string, JournalEntry>([['a', { kind: 'modified', link }]]);
      expect(decodeRecord(encodeRecord({ ...emptyRecord, journal }))).toMatchObject({ ok: false });
    },
  );

  it('gives back an agent that knows nothing', () => {
    expect(decodeRecord(encodeRecord(emptyRecord))).toMatchObject({ ok: true, record: emptyRecord });
  });
});

describe('a plan reference', () => {
  it('equals only the same occurrence of a known plan', () => {
    expect(samePlanRef({ id: 'p', proof: 'a:1' }, { id: 'p', proof: 'a:1' })).toBe(true);
    expect(samePlanRef({ id: 'p', proof: 'a:1' }, { id: 'p', proof: 'a:2' })).toBe(false);
    expect(samePlanRef({ id: '', proof: '' }, { id: '', proof: '' })).toBe(false);
    expect(samePlanRef({ id: 'p', proof: '' }, { id: 'p', proof: '' })).toBe(false);
  });

  it('is in no role of a record without a baseline', () => {
    const plan = { id: 'p', proof: 'a:1' };
    const known = { ...emptyRecord, generation: 4, applied: plan, running: plan, workerOps: plan };
    expect(withoutBaseline(known)).toEqual({ ...emptyRecord, generation: 4 });
  });
});

describe('files of the agent', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'haptic-record-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('the record: absent at first, then what was announced or committed last', async () => {
    const file = path.join(folder, '.haptic-agent.json');
    const first = await openRecordStore(file);
    expect(first.loaded).toBe('absent');
    expect(first.store.current()).toEqual(emptyRecord);
    first.store.announce({ ...emptyRecord, phase: 'applying' });
    expect((await openRecordStore(file)).store.current().phase).toBe('applying');
    await first.store.commit({ ...emptyRecord, generation: 1 });
    const second = await openRecordStore(file);
    expect(second.loaded).toBe('found');
    expect(second.store.current()).toEqual({ ...emptyRecord, generation: 1 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('the record: what was announced is made durable as it is, and a failure to do so is told', async () => {
    const file = path.join(folder, 'state.json');
    const { store } = await openRecordStore(file);
    store.announce({ ...emptyRecord, generation: 7 });
    await store.settle();
    expect((await openRecordStore(file)).store.current().generation).toBe(7);
    await rm(file);
    await expect(store.settle()).rejects.toThrow('ENOENT');
    expect(store.current().generation).toBe(7);
  });

  it('the record: an unusable file is told, and begins from nothing', async () => {
    const file = path.join(folder, '.haptic-agent.json');
    await writeFile(file, 'junk');
    expect(await openRecordStore(file)).toMatchObject({ loaded: { unusable: 'it is not JSON' } });
    await rm(file);
    await mkdir(file);
    expect(await openRecordStore(file)).toMatchObject({ loaded: { unusable: 'it cannot be read' } });
  });

  it('the record: each announcement is a line more, and the last whole one counts', async () => {
    const file = path.join(folder, 'state.json');
    const { store } = await openRecordStore(file);
    for (let generation = 1; generation <= 3; generation++) store.announce({ ...emptyRecord, generation });
    const text = await readFile(file, 'utf8');
    expect(text.split('\n')).toHaveLength(4);
    expect((await openRecordStore(file)).store.current().generation).toBe(3);
    // Killed amid the third line: it never said that it was written.
    await writeFile(file, text.slice(0, -2));
    const found = await openRecordStore(file);
    expect(found).toMatchObject({ loaded: 'found' });
    expect(found.store.current().generation).toBe(2);
    // Nothing is added to half a line.
    found.store.announce({ ...emptyRecord, generation: 9 });
    expect((await openRecordStore(file)).store.current().generation).toBe(9);
  });

  it('the record: what is added to many files costs what changed, over restarts, failures and rewrites', async () => {
    const file = path.join(folder, 'state.json');
    let { store } = await openRecordStore(file);
    const entry = { digest: '0'.repeat(16), proof: 'p', size: 1, kind: 'cert' } as const;
    let files = new Map<string, HeldFile>(
      Array.from({ length: 3_000 }, (_, at) => [`ssl/${String(at)}.pem`, entry]),
    );
    store.announce({ ...emptyRecord, files });
    const whole = (await stat(file)).size;
    let rewrites = 0;
    for (let generation = 1; generation <= 400; generation++) {
      const changed = `ssl/${String((generation * 37) % 3_000)}.pem`;
      files = new Map([...files, [changed, { ...entry, digest: generation.toString(16).padStart(16, '0') }]]);
      files.delete(`ssl/${String((generation * 41) % 3_000)}.pem`);
      const { size: before } = await stat(file);
      store.announce({ ...emptyRecord, files, generation });
      expect((await stat(file)).size - before).toBeLessThan(whole / 4);
      if (generation % 5 === 0) await store.settle();
      if ((await stat(file)).size <= before) rewrites++;
      if (generation % 50 === 0) ({ store } = await openRecordStore(file));
      expect(store.current()).toEqual({ ...emptyRecord, files, generation });
    }
    expect(rewrites).toBeGreaterThan(0);
    expect(rewrites).toBeLessThan(100);
    await store.commit({ ...emptyRecord, files, generation: 500 });
    store.announce({ ...emptyRecord, files, generation: 501 });
    expect((await openRecordStore(file)).store.current()).toEqual({ ...emptyRecord, files, generation: 501 });
  });

  it('the record: a whole line that cannot be read is not passed over', async () => {
    const file = path.join(folder, 'state.json');
    await writeFile(
      file,
      `${encodeRecord({ ...emptyRecord, generation: 1 })}{"format":"of a newer agent"}\n`,
    );
    const { store, loaded } = await openRecordStore(file);
    expect(loaded).toHaveProperty('unusable');
    expect(store.current()).toEqual(emptyRecord);
  });

  it('the record: former lines are dropped when they are many, by what makes the last durable', async () => {
    const file = path.join(folder, 'state.json');
    const { store } = await openRecordStore(file);
    let longest = 0;
    for (let generation = 1; generation <= 1_000; generation++) {
      store.announce({ ...emptyRecord, generation });
      await store.settle();
      longest = Math.max(longest, (await stat(file)).size);
    }
    expect(longest).toBeGreaterThan(200 * 1024);
    expect(longest).toBeLessThan(300 * 1024);
    expect((await openRecordStore(file)).store.current().generation).toBe(1_000);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('the record: a line that was cut off by a full disk is not added to', async () => {
    const file = path.join(folder, 'state.json');
    const { store } = await openRecordStore(file);
    store.announce({ ...emptyRecord, generation: 1 });
    await rm(file);
    await mkdir(file);
    expect(() => store.announce({ ...emptyRecord, generation: 2 })).toThrow('EISDIR');
    expect(store.current().generation).toBe(1);
    await rm(file, { recursive: true });
    // As the failed write might have left it.
    await writeFile(file, `${encodeRecord({ ...emptyRecord, generation: 1 })}{"for`);
    store.announce({ ...emptyRecord, generation: 2 });
    const found = await openRecordStore(file);
    expect(found).toMatchObject({ loaded: 'found' });
    expect(found.store.current().generation).toBe(2);
  });

  it('the record: a commit that fails leaves the old one in force', async () => {
    const file = path.join(folder, '.haptic-agent.json');
    const { store } = await openRecordStore(file);
    await store.commit({ ...emptyRecord, generation: 1 });
    await mkdir(`${file}.new`);
    await expect(store.commit({ ...emptyRecord, generation: 2 })).rejects.toThrow('EISDIR');
    expect(() => store.announce({ ...emptyRecord, generation: 2 })).toThrow('EISDIR');
    expect(store.current().generation).toBe(1);
    expect((await openRecordStore(file)).store.current().generation).toBe(1);
  });

  it('the plan blob: kept for its owner’s eyes, and read only if it is the right one', async () => {
    const file = path.join(folder, 'plan.bin');
    const blob = planBlobFile(file);
    const stored = await blob.write(Buffer.from('blob'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await blob.read(stored)).toEqual(Buffer.from('blob'));
    expect(await blob.read('f'.repeat(16))).toBeUndefined();
    await writeFile(file, 'other');
    expect(await blob.read(stored)).toBeUndefined();
    expect(await readFile(file, 'utf8')).toBe('other');
  });
});
