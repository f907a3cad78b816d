import { execFile, spawnSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { startBareHaproxy } from './bare-haproxy.ts';
import type { WrkLoad } from './wrk.ts';

/**
 * Instructions that HAProxy takes for one request of the load, its own and those of libraries but not the kernel's, as `callgrind` counts them.
 * They do not depend on what else the machine does; they say nothing of what waiting for memory costs. Undefined where valgrind is missing.
 */
export async function countInstructions(
  haproxy: string,
  folder: string,
  files: Readonly<Record<string, string>>,
  { port, load }: { readonly port: number; readonly load: WrkLoad },
): Promise<number | undefined> {
  if (spawnSync('valgrind', ['--version']).error !== undefined) return undefined;
  const under = [
    'valgrind',
    '--tool=callgrind',
    '--instr-atstart=no',
    `--callgrind-out-file=${path.join(folder, 'counted')}`,
  ];
  const process = await startBareHaproxy(haproxy, folder, files, port, under);
  const control = (...options: string[]) =>
    promisify(execFile)('callgrind_control', [...options, String(process.pid)]);
  try {
    await load.run(port, 1);
    await control('-i', 'on');
    const { requests } = await load.run(port, 5);
    await control('-d');
    const dump = (await readdir(folder)).find((name) => name.startsWith('counted.'));
    const total = /^(?:summary|totals): (\d+)/m.exec(
      await readFile(path.join(folder, dump ?? ''), 'utf8'),
    )?.[1];
    if (total === undefined) throw new Error('callgrind says nothing of instructions');
    return Number(total) / requests;
  } finally {
    await process.stop();
  }
}
