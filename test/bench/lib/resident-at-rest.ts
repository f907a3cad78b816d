import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterClient } from './cluster-client.ts';
import { readyControllers } from './controller-processes.ts';
import { routeOf } from './route-objects.ts';
import { startSandboxProcess } from './sandbox-process.ts';

const routes = 10;
const controllers = 2;
/** V8 begins to give memory back 8 s after the last collection of a start, and needs some more for it. */
const seconds = 30;

/**
 * Resident memory of the processes of a small cluster after an installation, when nothing happens any more: two controllers with
 * their webhook, and the agent of a HAProxy pod.
 */
export async function residentAtRest(haproxyPath: string) {
  await using resources = new AsyncDisposableStack();
  const sandbox = await startSandboxProcess(haproxyPath, ['--controllers', String(controllers)], {
    webhook: true,
  });
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } });
  await cluster.createRoutes(
    Array.from({ length: routes }, (_, i) => routeOf(i)),
    1,
  );
  const running = await readyControllers(sandbox.kubeconfigPath, controllers);
  await sleep(seconds * 1_000);
  const leads = await Promise.all(running.map(({ isLeader }) => isLeader()));
  const rssMiB = async (leader: boolean) => running[leads.indexOf(leader)]?.rssMiB();
  return {
    controller: { rssMiB: await rssMiB(true) },
    standby: { rssMiB: await rssMiB(false) },
    agent: { rssMiB: await agentRssMiB(sandbox.baseDir) },
    routes,
    seconds,
  };
}

/** The agent of a pod has its base dir on the command line. */
async function agentRssMiB(baseDir: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (!words.includes('agent') || !words.includes(baseDir)) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
  }
  throw new Error(`no agent of ${baseDir} runs`);
}
