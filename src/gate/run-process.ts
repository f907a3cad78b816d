import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { Observable } from 'rxjs';

export interface ProcessOptions {
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Output beyond this many bytes is dropped. */
  readonly maxOutputBytes: number;
  /** Somebody waits for it: it gets its share of the machine as this process does. Default: everything else goes first. */
  readonly isUrgent?: boolean;
}

export interface ProcessResult {
  /** Absent when a signal ended it. */
  readonly code?: number;
  readonly signal?: string;
  /** What it printed on both streams, in order of arrival. */
  readonly output: string;
}

export type RunProcess = (
  command: string,
  args: readonly string[],
  options: ProcessOptions,
) => Observable<ProcessResult>;

/**
 * Runs a program without a shell: emits its result and completes when it has exited, errors when it could not be started.
 * Unsubscribing kills it.
 */
export const runProcess: RunProcess = (command, args, { cwd, env, maxOutputBytes, isUrgent = false }) =>
  new Observable((subscriber) => {
    const child = spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    yieldTo(child.pid, isUrgent);
    const chunks: Buffer[] = [];
    let room = maxOutputBytes;
    const collect = (chunk: Buffer) => {
      if (room > 0) chunks.push(chunk.subarray(0, room));
      room -= chunk.byteLength;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => subscriber.error(error));
    child.on('close', (code, signal) => {
      const output = Buffer.concat(chunks).toString('utf8');
      subscriber.next({ output, ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) });
      subscriber.complete();
    });
    return () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    };
  });

/**
 * The program shares the memory limit of this process's container, and where that is not enough, it is what the kernel ends. Where
 * nobody waits for it as for a request, it gives way to everything else on the machine.
 */
function yieldTo(pid: number | undefined, isUrgent: boolean): void {
  if (pid === undefined) return;
  for (const give of [
    () => isUrgent || setPriority(pid, constants.priority.PRIORITY_LOW),
    () => writeFileSync(`/proc/${pid}/oom_score_adj`, '1000'),
  ])
    try {
      give();
    } catch {
      // It has ended already, or the machine knows no such thing: then it runs like any other.
    }
}
