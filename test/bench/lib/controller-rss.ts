import { readdir, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterClient } from './cluster-client.ts';
import type { RouteSpec } from './route-objects.ts';
import { startSandboxProcess } from './sandbox-process.ts';

/** Resident MiB of a controller process that was started on `routes`: after its cold start, and at its peak. */
export async function measureControllerRss(haproxyPath: string, routes: readonly RouteSpec[]) {
  await using resources = new AsyncDisposableStack();
  const sandbox = await startSandboxProcess(haproxyPath);
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } });
  await cluster.createRoutes(routes, 16);
  const first = await pidOf(sandbox.kubeconfigPath);
  await quiet(sandbox.controllerLog);
  process.kill(first, 'SIGTERM');
  await sleep(500);
  const pid = await pidOf(sandbox.kubeconfigPath, first);
  await quiet(sandbox.controllerLog);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return { rssMiB: mib('VmRSS'), peakRssMiB: mib('VmHWM') };
}

/** The controller of one sandbox is the process that has its kubeconfig on the command line. */
async function pidOf(kubeconfigPath: string, not?: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    for (const entry of await readdir('/proc')) {
      if (!/^\d+$/.test(entry) || Number(entry) === not) continue;
      const words = (await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')).split('\0');
      if (words.includes('run') && words.includes(kubeconfigPath)) return Number(entry);
    }
    await sleep(100);
  }
  throw new Error('no controller process found');
}

async function quiet(log: string): Promise<void> {
  let size = -1;
  for (let same = 0; same < 6;) {
    await sleep(500);
    const now = (await stat(log)).size;
    same = now === size ? same + 1 : 0;
    size = now;
  }
}
