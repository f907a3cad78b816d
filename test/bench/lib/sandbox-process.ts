import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** A sandbox in a process of its own, as a user starts it, so that the bench's own work does not slow its API down. */
export interface SandboxProcess {
  readonly kubeconfigPath: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** HAProxy's base dir: haproxy.cfg, maps, sockets. */
  readonly baseDir: string;
  readonly controllerLog: string;
  stop(): Promise<void>;
}

export async function startSandboxProcess(
  haproxyPath: string,
  args: readonly string[] = [],
  { webhook = false }: { readonly webhook?: boolean } = {},
): Promise<SandboxProcess> {
  const child = spawn(
    process.execPath,
    [
      ...['dist/haptic.js', 'sandbox', '--no-sample', '--haproxy', haproxyPath],
      ...(webhook ? [] : ['--no-webhook']),
      ...args,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines: string[] = [];
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`sandbox ended with ${code}:\n${lines.join('\n')}`)));
  });
  ended.catch(() => undefined);
  const found = <K extends string>(patterns: Readonly<Record<K, RegExp>>) =>
    new Promise<Record<K, string>>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line);
        const text = lines.join('\n');
        const values = Object.entries<RegExp>(patterns).map(
          ([key, pattern]) => [key, pattern.exec(text)?.[1]] as const,
        );
        if (values.every(([, value]) => value !== undefined))
          resolve(Object.fromEntries(values) as Record<K, string>);
      });
    });
  const { http, https, kubeconfig, logs } = await Promise.race([
    found({
      http: /^HAProxy\s+http:\/\/127\.0\.0\.1:(\d+)/m,
      https: /^HAProxy\s.*\shttps:\/\/127\.0\.0\.1:(\d+)/m,
      kubeconfig: /KUBECONFIG=(\S+)/,
      logs: /^Logs\s+(\S+)/m,
    }),
    ended,
  ]);
  return {
    kubeconfigPath: kubeconfig,
    httpPort: Number(http),
    httpsPort: Number(https),
    baseDir: path.join(path.dirname(logs), 'haproxy'),
    controllerLog: path.join(logs, 'controller.log'),
    stop: () => end(child),
  };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
