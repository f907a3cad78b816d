import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { getEntry } from '../../../../src/lib/ordered-map.ts';
import { encodePlan } from '../../../../src/plan/encode-plan.ts';
import type { Plan } from '../../../../src/protocol/plan.ts';
import { type CheckpointOptions, makeCheckpoint } from '../../../../src/sinks/retained/make-checkpoint.ts';
import { decodeArchive } from '../../../../src/sinks/retained/retained-archive.ts';
import { makePlan } from '../../../fixtures/make-plan.ts';

const options: CheckpointOptions = {
  path: '/etc/haproxy/haproxy.cfg',
  compressionThreshold: 0,
  matchLabels: { app: 'haproxy' },
  port: 5555,
  deliveredTo: [],
  signal: new AbortController().signal,
};
const core = { global: 'global\nuserlist u\n  user jane insecure-password geheim\n' };
const planOf = (bytes: number) =>
  makePlan({
    core,
    files: { 'ssl/large.pem': { kind: 'cert', text: randomBytes(bytes).toString('base64') } },
  });
const blobOf = async (plan: Plan) => (await encodePlan(plan)) ?? Buffer.alloc(0);

it('is cut into parts that a Secret takes, which make the render together', async () => {
  const plan = planOf(1_500_000);
  const checkpoint = await makeCheckpoint(plan, await blobOf(plan), options);
  if (checkpoint === undefined) throw new Error('there is none');
  expect(checkpoint.parts.length).toBe(2);
  for (const { bytes, checksum } of checkpoint.parts) {
    expect(bytes.byteLength).toBeLessThanOrEqual(900_000);
    expect(checksum).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  }
  const { plan: back } = await decodeArchive(
    Buffer.concat(checkpoint.parts.map(({ bytes }) => bytes)),
    checkpoint,
  );
  const contentOf = (one: Plan) => Buffer.concat(getEntry(one.files, 'ssl/large.pem')?.content() ?? []);
  expect(contentOf(back).equals(contentOf(plan))).toBe(true);
});

it('shows no password, and keeps it', async () => {
  const plan = planOf(10);
  const checkpoint = await makeCheckpoint(plan, await blobOf(plan), options);
  expect(checkpoint?.shown.text).toContain('[redacted]');
  expect(checkpoint?.shown.text).not.toContain('geheim');
  const { plan: back } = await decodeArchive(
    Buffer.concat(checkpoint?.parts.map(({ bytes }) => bytes) ?? []),
    checkpoint ?? { planId: '', checksum: '' },
  );
  expect(Buffer.concat(getEntry(back.files, 'haproxy.cfg')?.content() ?? []).toString()).toContain('geheim');
});

it('is none of what does not fit, or has no haproxy.cfg', async () => {
  const large = planOf(29_000_000);
  expect(await makeCheckpoint(large, await blobOf(large), options)).toBeUndefined();
  const { files: _files, ...plan } = planOf(10);
  const without = { ...plan, files: { size: 0, chunks: [] } };
  expect(await makeCheckpoint(without, await blobOf(without), options)).toBeUndefined();
});
