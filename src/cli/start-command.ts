import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { CliCall, CliCommand } from './cli-command.ts';

/** What a command gets of the process that it runs in. */
export type CliProcess = Pick<CliCall, 'env' | 'signal' | 'out' | 'err'>;

/** What a parser made of a line, by the command's declaration. */
export type ParsedLine = Readonly<Record<'values', Readonly<Record<string, unknown>>>> & {
  readonly words: readonly string[];
};

/** Loads and runs one command. Resolves to the exit code; what the action throws is told on stderr. */
export async function startCommand(
  command: CliCommand,
  { values, words }: ParsedLine,
  process: CliProcess,
): Promise<number> {
  const action = await command.load();
  try {
    return await action({ ...process, values, words } as CliCall);
  } catch (error) {
    if (error instanceof CodedError && error.code.endsWith('_USAGE')) {
      process.err(refusal(command.name, error.message));
      return 2;
    }
    process.err(`haptic ${command.name}: ${errorMessage(error)}\n`);
    return 1;
  }
}

/** What is said of a line that cannot be run. */
export function refusal(name: string, reason: string): string {
  const program = name === '' ? 'haptic' : `haptic ${name}`;
  return `${program}: ${reason}\n${program} --help tells what it takes.\n`;
}
