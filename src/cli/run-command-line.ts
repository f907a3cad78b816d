import type { CliCommand } from './cli-command.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { type CliProcess, refusal, startCommand } from './start-command.ts';

/**
 * Parses the line and runs its command. Resolves to the exit code: 0 done, 1 failed, 2 usage. Help goes to stdout, refusals to stderr.
 *
 * @param beforeStreams is awaited before a command that uses RxJS is loaded
 */
export async function runCommandLine(
  commands: readonly CliCommand[],
  argv: readonly string[],
  process: CliProcess,
  beforeStreams?: () => Promise<void>,
): Promise<number> {
  const line = parseCommandLine(commands, argv, process.env);
  switch (line.kind) {
    case 'help':
      process.out(line.text);
      return 0;
    case 'refused':
      process.err(refusal(line.name, line.reason));
      return 2;
    case 'call':
      if (line.command.streams === true) await beforeStreams?.();
      return startCommand(line.command, line, process);
  }
}
