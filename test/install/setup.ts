import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { installMissing } from '../../scripts/install-missing.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const image = 'localhost/haptic:test';
let stop = (): Promise<void> => Promise.resolve();

/**
 * One cluster with nodes, and an image that they have, for all specs of the project: those of `KUBECONFIG` and `HAPTIC_IMAGE`, else the image of
 * this working copy on a node that ends with the run.
 */
export async function setup(project: TestProject): Promise<void> {
  const { env } = process;
  if (installMissing(env) !== undefined) return;
  const given = env['KUBECONFIG'] ?? '';
  if (given !== '') {
    if (!existsSync(given)) throw new Error(`KUBECONFIG: there is no file ${given}`);
    project.provide('installOn', { kubeconfig: given, image: env['HAPTIC_IMAGE'] ?? '' });
    return;
  }
  const tools = env['HAPTIC_NODE_TOOLS'] ?? '';
  await run(process.execPath, ['scripts/image.ts', image], {
    cwd: root,
    env: { ...env, HAPTIC_CLUSTER_TOOLS: path.dirname(tools) },
    maxBuffer: 64 * 1024 * 1024,
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-node-'));
  stop = async () => {
    await run(path.join(tools, 'down'), [folder, '--purge']);
  };
  // A node that did not come up takes itself down.
  await run(path.join(tools, 'up'), [folder], { timeout: 300_000, maxBuffer: 64 * 1024 * 1024 });
  project.provide('installOn', { kubeconfig: path.join(folder, 'admin.kubeconfig'), image });
}

export async function teardown(): Promise<void> {
  await stop();
}
