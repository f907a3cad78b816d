import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editOrderedMap, getEntry, valuesOf } from '../../../../src/lib/ordered-map.ts';
import { encodePlan } from '../../../../src/plan/encode-plan.ts';
import type { Plan } from '../../../../src/protocol/plan.ts';
import { configChecksum } from '../../../../src/sinks/retained/config-checksum.ts';
import { decodeArchive, encodeArchive } from '../../../../src/sinks/retained/retained-archive.ts';
import { makePlan } from '../../../fixtures/make-plan.ts';

const plan = makePlan({
  core: { global: 'global\n  maxconn 9\n' },
  backends: { b: { servers: [{ name: 's', address: '10.0.0.1', port: 80 }] } },
  maps: { 'maps/host.map': { entries: [['a', 'b']] } },
  crtLists: { 'ssl/list.txt': ['ssl/site.pem'] },
  files: {
    'ssl/site.pem': { kind: 'cert', text: 'a key\u0000é' },
    'general/empty.http': { text: '' },
    'general/page.http': { text: 'HTTP/1.0 503\n\n' },
  },
});
const bytesOf = (one: Plan, path: string) => Buffer.concat(getEntry(one.files, path)?.content() ?? []);
const archive = async (one = plan) => encodeArchive(one, (await encodePlan(one)) ?? Buffer.alloc(0));
const expected = async () => ({ planId: plan.id, checksum: (await configChecksum(plan)) ?? '' });

describe('a render with all of its bytes', () => {
  it('comes back as it was, file for file', async () => {
    const { plan: back, blob } = await decodeArchive(await archive(), await expected());
    expect(back.id).toBe(plan.id);
    expect(Buffer.from(blob)).toEqual(Buffer.from((await encodePlan(plan)) ?? []));
    expect([...valuesOf(back.files)].map(({ path }) => path)).toEqual(
      [...valuesOf(plan.files)].map(({ path }) => path),
    );
    for (const { path } of valuesOf(plan.files)) expect(bytesOf(back, path)).toEqual(bytesOf(plan, path));
  });

  it('has the checksum of its haproxy.cfg', async () => {
    const hex = createHash('sha256').update(bytesOf(plan, 'haproxy.cfg')).digest('hex');
    expect(await configChecksum(plan)).toBe(`sha256:${hex}`);
  });

  it('is refused as another render, and with another haproxy.cfg', async () => {
    const bytes = await archive();
    const { planId, checksum } = await expected();
    await expect(decodeArchive(bytes, { planId: '0'.repeat(16), checksum })).rejects.toThrow('instead of');
    await expect(decodeArchive(bytes, { planId, checksum: 'sha256:0' })).rejects.toThrow('another checksum');
  });

  it('is refused with a file of other bytes', async () => {
    const file = getEntry(plan.files, 'ssl/site.pem');
    if (file === undefined) throw new Error('it is not there');
    const other = { ...file, content: () => [Buffer.alloc(file.size)] };
    const forged = { ...plan, files: editOrderedMap(plan.files, [['ssl/site.pem', other]]) };
    await expect(decodeArchive(await archive(forged), await expected())).rejects.toThrow('ssl/site.pem');
  });

  it('is refused wherever it was cut or changed', async () => {
    const bytes = await archive();
    const to = await expected();
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.byteLength - 1), fc.boolean(), async (at, isCut) => {
        const broken = Buffer.from(isCut ? bytes.subarray(0, at) : bytes);
        if (!isCut) broken[at] = (broken[at] ?? 0) ^ 0x55;
        await expect(decodeArchive(broken, to)).rejects.toThrow();
      }),
      { numRuns: 200 },
    );
  });
});
