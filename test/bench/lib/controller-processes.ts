import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A controller of a sandbox, as a process of this machine. */
export interface ControllerProcess {
  /** As the sandbox calls it: `controller`, `controller-1`. */
  readonly name: string;
  readonly pid: number;
  /** Of its probes and debug pages. */
  readonly url: string;
  /** Whether it leads, by its own metrics. */
  readonly isLeader: () => Promise<boolean>;
  /** Values of its metrics by series, as they are written: `haptic_render_total{cache_state="warm"}`. */
  readonly metrics: () => Promise<ReadonlyMap<string, number>>;
  /** Resident memory of the process alone, MiB. */
  readonly rssMiB: () => Promise<number>;
  /** Seconds of CPU since its start: of the process without its children, or of its main thread. */
  readonly cpuSeconds: (of: 'process' | 'main thread') => Promise<number>;
}

/** The kernel's unit of CPU times in /proc, the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Those of the sandbox with this kubeconfig: it is on their command line. */
export async function controllerProcesses(kubeconfigPath: string): Promise<readonly ControllerProcess[]> {
  const found: ControllerProcess[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const words = (await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (words.includes('run') && words.includes(kubeconfigPath)) found.push(processOf(Number(entry), words));
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

/** Waits until so many of them have a render that HAProxy accepted. */
export async function readyControllers(
  kubeconfigPath: string,
  count: number,
): Promise<readonly ControllerProcess[]> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const controllers = await controllerProcesses(kubeconfigPath);
    const ready = await Promise.all(
      controllers.map(({ url }) =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    if (controllers.length === count && ready.every(Boolean)) return controllers;
    await sleep(200);
  }
  throw new Error(`not all of ${count} controllers get ready`);
}

function processOf(pid: number, words: readonly string[]): ControllerProcess {
  const after = (flag: string) => words[words.indexOf(flag) + 1] ?? '';
  const metrics = async () => {
    const text = await (await fetch(`http://${after('--metrics-listen')}/metrics`)).text();
    return new Map(
      [...text.matchAll(/^([a-z]\S*(?:\{.*\})?) (\S+)$/gm)].map(([, series = '', value]) => [
        series,
        Number(value),
      ]),
    );
  };
  return {
    name: after('--identity'),
    pid,
    url: `http://${after('--health-listen')}`,
    metrics,
    isLeader: async () => (await metrics()).get('haptic_leader_election_is_leader') === 1,
    rssMiB: async () => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
    },
    cpuSeconds: async (of) => {
      const file = of === 'process' ? `/proc/${pid}/stat` : `/proc/${pid}/task/${pid}/stat`;
      // The name, in parentheses, may have blanks in it; user and system time are fields 14 and 15 of the line.
      const fields = (await readFile(file, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
  };
}
