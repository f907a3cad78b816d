import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitFiles } from '../../../src/agent/files/commit-files.ts';
import { openFilePool } from '../../../src/agent/files/file-pool.ts';
import { createHeldFiles, type HeldFile } from '../../../src/agent/files/held-files.ts';
import { filesBefore, type JournalEntry } from '../../../src/agent/files/journal.ts';
import { planJournal } from '../../../src/agent/files/plan-journal.ts';
import { type PathTarget, reachFiles } from '../../../src/agent/files/reach-files.ts';
import { restoreJournal } from '../../../src/agent/files/restore-journal.ts';
import { createStagingArea, type StagingArea } from '../../../src/agent/files/staging-area.ts';
import { digest } from '../../../src/lib/digest.ts';

type Texts = Readonly<Record<string, string>>;

let baseDir: string;
let area: StagingArea;
beforeEach(async () => {
  baseDir = await mkdtemp(path.join(tmpdir(), 'haptic-journal-'));
  area = createStagingArea(baseDir);
});
afterEach(() => rm(baseDir, { recursive: true, force: true }));

const held = (text: string): HeldFile => ({
  digest: digest(text),
  proof: digest(text),
  size: Buffer.byteLength(text),
  kind: 'general',
});
const heldAll = (texts: Texts) =>
  new Map(Object.entries(texts).map(([name, text]) => [name, held(text)] as const));
const put = async (name: string, text: string) => {
  await mkdir(path.dirname(path.join(baseDir, name)), { recursive: true });
  await writeFile(path.join(baseDir, name), text);
};
const tree = async (): Promise<Texts> => {
  const entries = await readdir(baseDir, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.haptic-'))
    .map((entry) => path.relative(baseDir, path.join(entry.parentPath, entry.name)));
  const pairs = names.map(async (name) => [name, await readFile(path.join(baseDir, name), 'utf8')] as const);
  return Object.fromEntries((await Promise.all(pairs)).sort());
};
const links = async () => (await readdir(path.join(baseDir, '.haptic-lkg')).catch(() => [])).length;

/** Brings the base dir from one owned set to another, as an apply does; gives the journal afterwards. */
const step = async (from: Texts, to: Texts, journal: ReadonlyMap<string, JournalEntry>) => {
  const written = Object.keys(to).filter((name) => to[name] !== from[name]);
  const removed = Object.keys(from).filter((name) => !(name in to));
  const fresh = await planJournal(baseDir, area, heldAll(from), journal, { written, removed });
  const committed = await commitFiles({
    baseDir,
    staging: area,
    staged: written.map((name) => ({
      path: name,
      held: held(to[name] ?? ''),
      source: { bytes: Buffer.from(to[name] ?? '') },
    })),
    removed,
    last: 'haproxy.cfg',
    journal: fresh,
  });
  await committed.keep();
  return new Map([...journal, ...fresh]);
};

const names = fc.constantFrom('haproxy.cfg', 'maps/a.map', 'maps/b.map', 'certs/deep/c.pem');
const texts: fc.Arbitrary<Texts> = fc.dictionary(names, fc.string({ maxLength: 8 }));
const sorted = (files: Texts) => Object.fromEntries(Object.entries(files).sort());

describe('the journal', () => {
  it('leads back to the set it was begun on, through any history', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(texts, { maxLength: 5 }), async (good, history) => {
        await rm(baseDir, { recursive: true, force: true });
        await mkdir(baseDir);
        area = createStagingArea(baseDir);
        for (const [name, text] of Object.entries(good)) await put(name, text);
        let journal: ReadonlyMap<string, JournalEntry> = new Map();
        let now = good;
        for (const next of history) {
          journal = await step(now, next, journal);
          now = next;
        }
        expect(await tree()).toEqual(sorted(now));
        expect(filesBefore(heldAll(now), journal)).toEqual(heldAll(good));
        const owned = createHeldFiles(baseDir, heldAll(now));
        const deps = { baseDir, configFile: 'haproxy.cfg', area, held: owned };
        // Twice: an agent that ends in the middle of it does it again.
        for (let round = 0; round < 2; round++) {
          expect(await restoreJournal(deps, journal)).toEqual([]);
          expect(await tree()).toEqual(sorted(good));
          expect(await owned.check()).toEqual([]);
        }
        expect(owned.all()).toEqual(heldAll(good));
      }),
      { numRuns: 40 },
    );
  });

  it('takes the first entry of a path and no other, one link each', async () => {
    const good = { a: '1', b: '1' };
    for (const [name, text] of Object.entries(good)) await put(name, text);
    let journal = await step(good, { a: '2', c: '1' }, new Map());
    expect([...journal].map(([name, entry]) => [name, entry.kind])).toEqual([
      ['a', 'modified'],
      ['c', 'created'],
      ['b', 'deleted'],
    ]);
    expect(await links()).toBe(2);
    const first = journal;
    journal = await step({ a: '2', c: '1' }, { a: '3', b: '9' }, journal);
    expect(journal).toEqual(first);
    expect(await links()).toBe(2);
  });

  it('brings back a file of somebody else that the first apply replaced', async () => {
    await put('haproxy.cfg', 'of the image');
    const journal = await step({}, { 'haproxy.cfg': 'ours', 'a.map': 'x' }, new Map());
    expect(journal.get('haproxy.cfg')).toMatchObject({ kind: 'modified' });
    expect(journal.get('haproxy.cfg')).not.toHaveProperty('held');
    const owned = createHeldFiles(baseDir, heldAll({ 'haproxy.cfg': 'ours', 'a.map': 'x' }));
    expect(await restoreJournal({ baseDir, configFile: 'haproxy.cfg', area, held: owned }, journal)).toEqual(
      [],
    );
    expect(await tree()).toEqual({ 'haproxy.cfg': 'of the image' });
    expect(owned.all().size).toBe(0);
  });

  it('changes nothing when one former content is lost', async () => {
    const good = { a: '1', b: 'b1' };
    for (const [name, text] of Object.entries(good)) await put(name, text);
    const journal = await step(good, { a: '2', b: '2' }, new Map());
    const entry = journal.get('b');
    if (entry?.kind !== 'modified') throw new Error('no link');
    await rm(path.join(baseDir, entry.link));
    const owned = createHeldFiles(baseDir, heldAll({ a: '2', b: '2' }));
    expect(await restoreJournal({ baseDir, configFile: 'haproxy.cfg', area, held: owned }, journal)).toEqual([
      'b',
    ]);
    expect(await tree()).toEqual({ a: '2', b: '2' });
    expect(owned.all()).toEqual(heldAll({ a: '2', b: '2' }));
  });

  it('keeps its links while the staging folders are emptied, and loses those nobody names', async () => {
    await put('a', '1');
    const journal = await step({ a: '1' }, { a: '2' }, new Map());
    await writeFile(path.join(baseDir, '.haptic-lkg/stale'), 'x');
    await writeFile(await area.configCopy(), 'copy');
    await area.clear();
    const entry = journal.get('a');
    await area.clearJournal(new Set(entry?.kind === 'modified' ? [entry.link] : []));
    expect((await readdir(path.join(baseDir, '.haptic-lkg'))).sort()).toEqual(
      [path.basename(entry?.kind === 'modified' ? entry.link : ''), 'config'].sort(),
    );
  });
});

describe('files to be reached', () => {
  const content = (text: string): PathTarget => ({ kind: 'content', held: held(text) });
  const deps = async () => ({ baseDir, area, pool: await openFilePool(area), last: 'haproxy.cfg' });

  it('come from whatever still has the bytes: staging, journal or memory', async () => {
    await put('a', 'old');
    await put('gone', 'x');
    await put('.haptic-tmp/1', 'from staging');
    await put('.haptic-lkg/2', 'from the journal');
    const targets = new Map<string, PathTarget>([
      ['a', content('from staging')],
      ['sub/b', content('from the journal')],
      ['c', content('from memory')],
      ['gone', { kind: 'nothing' }],
      ['never', { kind: 'nothing' }],
    ]);
    const inMemory = (name: string) => (name === 'c' ? Buffer.from('from memory') : undefined);
    expect(await reachFiles({ ...(await deps()), inMemory }, targets)).toEqual([]);
    expect(await tree()).toEqual({
      a: 'from staging',
      'sub/b': 'from the journal',
      c: 'from memory',
    });
  });

  it('are all left as they are when the bytes of one are nowhere', async () => {
    await put('a', 'old');
    await put('.haptic-tmp/1', 'new');
    const targets = new Map([
      ['a', content('new')],
      ['b', content('nowhere')],
      ['c', content('nowhere either')],
    ]);
    expect(await reachFiles(await deps(), targets)).toEqual(['b', 'c']);
    expect(await tree()).toEqual({ a: 'old' });
  });
});
