import { spawn } from 'node:child_process';

/** How a command ended; `code` is 1 when a signal ended it or it could not be started. */
export interface CommandEnd {
  readonly code: number;
  readonly reason: string;
}

/**
 * Runs a program of this package with the caller's output streams and tells how it ended. Never rejects.
 *
 * @param stdout what the program's stdout is: the caller's, or its stderr (2)
 */
export function runCommand(
  command: string,
  args: readonly string[],
  env = process.env,
  stdout: 'inherit' | 2 = 'inherit',
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', stdout, 'inherit'], env });
    child.once('error', (error) => resolve({ code: 1, reason: error.message }));
    child.once('exit', (code, signal) =>
      resolve({
        code: code ?? 1,
        reason: signal === null ? `exit code ${code ?? 1}` : `killed by ${signal}`,
      }),
    );
  });
}
