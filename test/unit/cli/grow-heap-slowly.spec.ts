import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const module = join(import.meta.dirname, '../../../src/cli/grow-heap-slowly.ts');

/** Heap in MiB of a process that kept 64 MiB of small objects while it made much garbage. */
async function heapAfterGarbage(): Promise<{ readonly mib: number; readonly stderr: string }> {
  const script = `
    import { growHeapSlowly } from ${JSON.stringify(module)};
    growHeapSlowly();
    const kept = [];
    for (let i = 0; i < 400_000; i++) kept.push({ i, text: [i, i, i, i, i, i] });
    // Survives two minor collections, then goes.
    const ring = [];
    for (let i = 0; i < 6_000_000; i++) ring[i % 100_000] = [i, i + 1, i + 2, i + 3];
    console.log(process.memoryUsage().heapTotal / 2 ** 20 + (kept.length + ring.length) * 0);
  `;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--max-semi-space-size=8', '--input-type=module', '-e', script],
    { env: { PATH: process.env['PATH'] } },
  );
  return { mib: Number(stdout), stderr };
}

test('V8 takes the flags at run time, and keeps the heap closer to what is alive', async () => {
  const { mib, stderr } = await heapAfterGarbage();
  expect(stderr).toBe('');
  expect(mib).toBeGreaterThan(64);
  // Without it mostly 270 to 310.
  expect(mib).toBeLessThan(160);
});

test('a process at rest gives back what its start has left', async () => {
  const script = `
    import { growHeapSlowly } from ${JSON.stringify(module)};
    growHeapSlowly();
    const left = [];
    for (let i = 0; i < 400_000; i++) left.push({ i, text: [i, i, i, i, i, i] });
    left.length = 0;
    const mib = () => process.memoryUsage().heapTotal / 2 ** 20;
    const before = mib();
    for (let turn = 0; turn < 300 && mib() > 32; turn++) await new Promise((resolve) => setTimeout(resolve, 100));
    console.log(before, mib());
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--max-semi-space-size=8',
      // In place of 8 s.
      '--gc-memory-reducer-start-delay-ms=200',
      '--input-type=module',
      '-e',
      script,
    ],
    { env: { PATH: process.env['PATH'] } },
  );
  const [before, after] = stdout.split(' ').map(Number);
  expect(before).toBeGreaterThan(64);
  expect(after).toBeLessThan(32);
}, 60_000);
