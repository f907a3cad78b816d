import { parseArgs } from 'node:util';
import type { CliCommand } from './cli-command.ts';
import { type GivenOptions, fillOptions } from './fill-options.ts';

/**
 * The values of a line without loading a library, for commands that live in every pod. Undefined for whatever is out of the
 * ordinary (help, words, mistakes): the full parser answers those.
 */
export function parsePlain(
  command: CliCommand,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>> | undefined {
  const options = Object.entries(command.options).map(
    ([flag, { value, short, repeat }]) =>
      [
        flag,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          multiple: repeat === true,
          ...(short !== undefined && { short }),
        },
      ] as const,
  );
  try {
    const { values } = parseArgs({
      args: [...argv],
      strict: true,
      allowPositionals: false,
      options: Object.fromEntries(options),
    });
    return fillOptions(command, given(values), env);
  } catch {
    return undefined;
  }
}

function given(
  values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>,
): GivenOptions {
  return Object.fromEntries(
    Object.entries(values).map(([flag, value]) => [flag, Array.isArray(value) ? value.map(String) : value]),
  );
}
