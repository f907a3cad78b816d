import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { clusterMissing } from '../../scripts/cluster-missing.ts';

const run = promisify(execFile);
const startTimeout = 180_000;
let stop = (): Promise<void> => Promise.resolve();

/** One API server for all specs of the project: the one of `KUBECONFIG`, else a control plane that ends with the run. */
export async function setup(project: TestProject): Promise<void> {
  if (clusterMissing(process.env) !== undefined) return;
  const given = process.env['KUBECONFIG'] ?? '';
  if (given !== '') {
    if (!existsSync(given)) throw new Error(`KUBECONFIG: there is no file ${given}`);
    project.provide('kubeconfig', given);
    return;
  }
  const tools = process.env['HAPTIC_CLUSTER_TOOLS'] ?? '';
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-cluster-'));
  stop = async () => {
    await run(path.join(tools, 'control-plane-down'), [folder]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    await run(path.join(tools, 'control-plane-up'), [folder, String(await freePorts(4))], {
      timeout: startTimeout,
    });
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('kubeconfig', path.join(folder, 'admin.kubeconfig'));
}

export async function teardown(): Promise<void> {
  await stop();
}

/** The first of so many neighbouring ports of loopback that nobody listens on. */
async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const first = 20_000 + Math.floor(Math.random() * 3_000) * 4;
    const free = await Promise.all(Array.from({ length: count }, (_, i) => isFree(first + i)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} neighbouring ports are free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
