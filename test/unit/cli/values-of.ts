import type { CliCommand, CliValues } from '../../../src/cli/cli-command.ts';
import { parseCommandLine } from '../../../src/cli/parse-command-line.ts';

/** What a command's action gets of a line (without the command's name). Throws what the line would be refused with. */
export function lineOf<C extends CliCommand>(
  command: C,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): { readonly values: CliValues<C['options']>; readonly words: readonly string[] } {
  const line = parseCommandLine([command], [...command.name.split(' '), ...argv], env);
  if (line.kind !== 'call') throw new Error(line.kind === 'help' ? 'help' : line.reason);
  return { values: line.values as CliValues<C['options']>, words: line.words };
}

/** Runs a command's action on a line, and keeps what it prints. */
export async function callOf(
  command: CliCommand,
  argv: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { env = {}, signal = new AbortController().signal } = options;
  const { runCommandLine } = await import('../../../src/cli/run-command-line.ts');
  const said = { out: '', err: '' };
  const code = await runCommandLine([command], [...command.name.split(' '), ...argv], {
    env,
    signal,
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
  });
  return { code, ...said };
}
