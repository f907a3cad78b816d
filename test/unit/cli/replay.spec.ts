import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runReplayCommand } from '../../../src/cli/replay.ts';

const recording = join(import.meta.dirname, '../../marbles/incidents/routes-come-and-go.ndjson');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haptic-replay-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function replay(file: string, values: { output?: string; spec?: string } = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runReplayCommand({
    values: { output: values.output ?? 'text', spec: values.spec },
    words: [file],
    env: {},
    signal: new AbortController().signal,
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
  });
  return { code, out: out.join(''), err: err.join('') };
}

describe('haptic replay', () => {
  test('prints what came in and what comes out as marble diagrams, and how much of it is the same', async () => {
    const { code, out, err } = await replay(recording);
    expect([code, err]).toStrictEqual([0, '']);
    expect(out).toMatch(/^time {2,}\d/);
    for (const lane of ['edits', 'verdicts', 'deliveries', 'renders', 'latch', 'wanted'])
      expect(out).toMatch(new RegExp(`^${lane} +-`, 'm'));
    expect(out).toContain('edits: ingresses -shop/before');
    expect(out).toMatch(/of 5 in the recording, 5 came out the same\n$/);
  });

  test('prints the same as JSON', async () => {
    const { out } = await replay(recording, { output: 'json' });
    const { events, renders } = JSON.parse(out) as { events: unknown[]; renders: { recorded: string[] } };
    expect(events).toContainEqual(expect.objectContaining({ direction: 'in', lane: 'edits' }));
    expect(events).toContainEqual(expect.objectContaining({ direction: 'out', lane: 'wanted' }));
    expect(renders.recorded).toHaveLength(5);
  });

  test('breaks long diagrams, each block with the names of the lanes', async () => {
    const lines = (await readFile(recording, 'utf8')).trim().split('\n');
    const last = JSON.parse(lines.at(-2) ?? '{}') as { at: number };
    const many = Array.from({ length: 100 }, (_, i) =>
      JSON.stringify({ at: last.at + 10 * (i + 1), kind: 'fleet', pods: [] }),
    );
    const file = join(folder, 'long.ndjson');
    await writeFile(file, [...lines.slice(0, -1), ...many].join('\n'));
    const { out, err } = await replay(file);
    expect(out.match(/^fleet /gm)?.length).toBeGreaterThan(1);
    expect(out.split('\n').filter((line) => /^(time|fleet) /.test(line) && line.length > 100)).toStrictEqual(
      [],
    );
    expect(err).toBe('haptic replay: the recording has no end: it was cut\n');
  });

  test('writes a marble spec that finds the fixtures, and the recording beside it', async () => {
    const spec = join(folder, 'test/marbles/incidents/mine.spec.ts');
    const { err } = await replay(recording, { spec });
    expect(err).toContain(spec);
    const text = await readFile(spec, 'utf8');
    expect(text).toContain("import { incident } from '../../fixtures/incident.ts';");
    expect(text).toContain("new URL('./mine.ndjson', import.meta.url)");
    const kept = await readFile(join(folder, 'test/marbles/incidents/mine.ndjson'), 'utf8');
    expect(kept).toBe(await readFile(recording, 'utf8'));
    // The one in this repository was made like this.
    const own = await readFile(recording.replace('.ndjson', '.spec.ts'), 'utf8');
    expect(text).toBe(own.replaceAll('routes-come-and-go.ndjson', 'mine.ndjson'));
  });

  test.each([
    ['a file that is not there', 'none.ndjson', undefined, 'HAPTIC_ERR_CLI_USAGE'],
    ['something else', 'other.ndjson', 'hello\n', 'HAPTIC_ERR_REPLAY_RECORDING'],
  ])('refuses %s', async (_what, name, content, code) => {
    const file = join(folder, name);
    if (content !== undefined) await writeFile(file, content);
    await expect(replay(file)).rejects.toMatchObject({ code });
  });

  test('refuses a configuration that this program does not take, and says what of it', async () => {
    const text = await readFile(recording, 'utf8');
    const file = join(folder, 'bad.ndjson');
    await writeFile(file, text.replace('{{snippets', '{{snippetz'));
    await expect(replay(file)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_TEMPLATE_INVALID',
      message: expect.stringContaining('snippetz') as string,
    });
  });
});
