import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApplyContext } from '../../../src/agent/apply/apply-context.ts';
import { putFiles } from '../../../src/agent/apply/put-files.ts';
import type { StagedFile } from '../../../src/agent/files/staged-file.ts';
import { createStagingArea } from '../../../src/agent/files/staging-area.ts';
import { writeStaged } from '../../../src/agent/files/write-staged.ts';
import { digest } from '../../../src/lib/digest.ts';

let baseDir: string;
beforeEach(async () => {
  baseDir = await mkdtemp(path.join(tmpdir(), 'haptic-put-'));
});
afterEach(() => rm(baseDir, { recursive: true, force: true }));

const held = (text: string) => ({
  digest: digest(text),
  proof: '',
  size: text.length,
  kind: 'config' as const,
});

describe('files of an apply', () => {
  // A container that starts may copy its image's configuration over the new one from the first instant on.
  it('get to their places only when the second copy of the configuration is there, and the former copy has its other name', async () => {
    const place = path.join(baseDir, 'haproxy.cfg');
    await writeFile(place, 'old');
    const area = createStagingArea(baseDir);
    const order: string[] = [];
    const configCopy: ApplyContext['configCopy'] = {
      linkTo: async (name) => {
        order.push('linked');
        await writeFile(name, 'old');
        return true;
      },
      prepare: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push(`copied over ${await readFile(place, 'utf8')}`);
      },
      refresh: () => Promise.resolve(),
    };
    const staged: StagedFile[] = [
      { path: 'haproxy.cfg', held: held('new'), source: { bytes: Buffer.from('new') } },
    ];
    const link = await area.linkFor('haproxy.cfg');
    const put = await putFiles(
      { options: { baseDir, configFile: 'haproxy.cfg' }, area, configCopy } as unknown as ApplyContext,
      {
        set: { files: new Map(), staged, plan: undefined },
        removed: [],
        fresh: new Map([['haproxy.cfg', { kind: 'modified', link, held: held('old') }]]),
        config: { held: held('old'), bytes: undefined },
      },
      writeStaged(area, staged).synced(),
    );
    expect(put.ok).toBe(true);
    expect(order).toEqual(['linked', 'copied over old']);
    expect(await readFile(place, 'utf8')).toBe('new');
    expect(await readFile(path.join(baseDir, link), 'utf8')).toBe('old');
    if (put.ok) await put.files.undo();
    expect(await readFile(place, 'utf8')).toBe('old');
  });
});
