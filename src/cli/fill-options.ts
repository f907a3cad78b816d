import { CodedError } from '../lib/coded-error.ts';
import type { CliCommand, CliOption } from './cli-command.ts';

/** What a line said, by flag; a flag that was not given is absent. */
export type GivenOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

type Value = string | boolean | readonly string[] | undefined;

/**
 * Flags over environment over defaults: a value for every declared option. The environment is asked by the name of command and flag
 * (`HAPTIC_RUN_WATCH_TIMEOUT`) and then by the option's own variable; a variable that is empty counts as none.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming flag and variable, when a value is none of the choices or a required one is missing
 */
export function fillOptions(
  { name, options }: Pick<CliCommand, 'name' | 'options'>,
  given: GivenOptions,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, Value>> {
  const values = Object.entries(options).map(([flag, option]) => {
    const line = given[flag];
    if (line !== undefined) return [flag, checked(option, line, `--${flag}`)] as const;
    const names = [variableOf(name, flag), ...(option.env === undefined ? [] : [option.env])];
    for (const variable of names) {
      const text = env[variable];
      if (text !== undefined && text !== '')
        return [flag, checked(option, fromText(option, text, variable), variable)] as const;
    }
    if (option.required === true)
      throw usage(`--${flag} is missing, and so ${names.length > 1 ? 'are' : 'is'} ${names.join(' and ')}`);
    return [flag, fallback(option)] as const;
  });
  return Object.fromEntries(values);
}

/** `HAPTIC_RUN_WATCH_TIMEOUT` */
export function variableOf(command: string, flag: string): string {
  return `HAPTIC_${command}_${flag}`.toUpperCase().replaceAll(/[^A-Z]/g, '_');
}

function fallback(option: CliOption): Value {
  if (option.value === undefined) return false;
  if (option.repeat === true) return option.default === undefined ? [] : [option.default];
  return option.default;
}

function fromText(option: CliOption, text: string, name: string): Value {
  if (option.value !== undefined) return option.repeat === true ? text.split(',').filter(Boolean) : text;
  const word = text.toLowerCase();
  if (word === 'true' || word === '1') return true;
  if (word === 'false' || word === '0') return false;
  throw usage(`${name} must be true or false, not "${text}"`);
}

function checked(option: CliOption, value: Value, name: string): Value {
  const { choices } = option;
  if (choices === undefined) return value;
  for (const word of [value].flat())
    if (typeof word === 'string' && !choices.includes(word))
      throw usage(`${name} must be ${oneOf(choices)}, not "${word}"`);
  return value;
}

/** `text, json or yaml` */
export function oneOf(choices: readonly string[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}
