import { Command, CommanderError, Option } from 'commander';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { CliCommand, CliOption, CliWord } from './cli-command.ts';
import { describeCommand, describeOption, describeProgram, moreOfCommand } from './describe-command.ts';
import { type GivenOptions, fillOptions, oneOf } from './fill-options.ts';

export type CommandLine =
  | {
      readonly kind: 'call';
      readonly command: CliCommand;
      readonly values: Readonly<Record<string, unknown>>;
      readonly words: readonly string[];
    }
  /** Help that was asked for. */
  | { readonly kind: 'help'; readonly text: string }
  /** `name` is the command that was refused, empty for none. */
  | { readonly kind: 'refused'; readonly name: string; readonly reason: string };

/** argv without the program's name → one of the commands with its values, help, or why it is neither. No word at all asks for help. */
export function parseCommandLine(
  commands: readonly CliCommand[],
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  let text = '';
  let reached = '';
  let found: CommandLine | undefined;
  const build = (command: CliCommand, into: Command): void => {
    into.description(describeCommand(command)).summary(command.summary);
    into.addHelpText('after', moreOfCommand(command));
    for (const [flag, option] of Object.entries(command.options)) into.addOption(toOption(flag, option));
    for (const word of command.words ?? []) into.argument(toArgument(word), word.summary);
    into.allowExcessArguments(false);
    into.action(() => {
      reached = command.name;
      const values = fillOptions(command, givenOf(command, into.opts()), env);
      checkWords(command, into.args);
      found = { kind: 'call', command, values, words: into.args };
    });
  };
  const program = quiet(new Command('haptic'), (chunk) => (text += chunk));
  program.description(describeProgram()).usage('COMMAND [options]');
  program.helpCommand('help [COMMAND]', 'this text, or the help of a command');
  const byName = new Map<string, Command>([['', program]]);
  const ensure = (name: string): Command => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const words = name.split(' ');
    const parent = ensure(words.slice(0, -1).join(' '));
    const made = quiet(parent.command(words.at(-1) ?? ''), (chunk) => (text += chunk));
    made.helpCommand(false);
    byName.set(name, made);
    return made;
  };
  for (const command of commands) build(command, ensure(command.name));
  for (const [name, made] of byName)
    if (name !== '' && !commands.some((command) => command.name === name))
      made.summary(groupSummary(commands, name)).usage('COMMAND [options]');
  try {
    program.parse(argv.length === 0 ? ['--help'] : normal(argv), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      const [first = ''] = normal(argv);
      // Help of what is no command would be that of the program, as if there were nothing wrong.
      const isUnknown = first !== '' && !first.startsWith('-') && !byName.has(first);
      return isUnknown ? parseCommandLine(commands, [first], env) : { kind: 'help', text };
    }
    return {
      kind: 'refused',
      name: reached === '' ? nameIn(commands, argv) : reached,
      reason: isSuperfluous(error) ? superfluous(error, commands, argv) : reasonOf(error, text),
    };
  }
  return found ?? { kind: 'help', text };
}

function quiet(command: Command, write: (chunk: string) => void): Command {
  return (
    command
      .exitOverride()
      // A flag belongs to the command before it: `agent` has some of the flags of `agent state`.
      .enablePositionalOptions()
      .configureOutput({
        writeOut: write,
        writeErr: write,
        getOutHelpWidth: () => 110,
        getErrHelpWidth: () => 110,
      })
      .configureHelp({
        subcommandTerm: (child) => child.name(),
        optionTerm: ({ flags }) => flags.replace(/[<>]/g, ''),
      })
      .helpOption('-h, --help', 'this text')
  );
}

function groupSummary(commands: readonly CliCommand[], name: string): string {
  return commands
    .filter((command) => command.name.startsWith(`${name} `))
    .map(({ summary }) => summary)
    .join('; ');
}

/** `--version` is the command of that name, and `help config view` is `config view --help`. */
function normal(argv: readonly string[]): string[] {
  const [first = '', ...rest] = argv;
  if (first === '--version') return ['version', ...rest];
  return first === 'help' ? [...rest, '--help'] : [...argv];
}

function toOption(flag: string, option: CliOption): Option {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  const value = option.value === undefined ? '' : ` <${option.value}>`;
  const made = new Option(`${short}--${flag}${value}`, describeOption(option));
  if (option.repeat === true)
    made.argParser((text: string, former: readonly string[] | undefined) => [...(former ?? []), text]);
  return made;
}

function toArgument({ name, optional, repeat }: CliWord): string {
  const text = `${name}${repeat === true ? '...' : ''}`;
  return optional === true ? `[${text}]` : `<${text}>`;
}

/** Commander keeps `--no-x` as `x: false`, which is true until the flag is given. */
function givenOf(command: CliCommand, opts: Readonly<Record<string, unknown>>): GivenOptions {
  const given = Object.keys(command.options).map((flag) => {
    const option = new Option(`--${flag}`);
    const value = opts[option.attributeName()];
    return [flag, option.negate ? value === false || undefined : value] as const;
  });
  return Object.fromEntries(given) as GivenOptions;
}

function checkWords({ words = [] }: CliCommand, args: readonly string[]): void {
  for (const [index, { name, choices, repeat }] of words.entries())
    for (const word of repeat === true ? args.slice(index) : args.slice(index, index + 1))
      if (choices !== undefined && !choices.includes(word))
        throw new CodedError('HAPTIC_ERR_CLI_USAGE', `${name} must be ${oneOf(choices)}, not "${word}"`);
}

function reasonOf(error: unknown, text: string): string {
  if (!(error instanceof CommanderError)) return errorMessage(error);
  // A group without its second word: commander has printed the help of the group instead of a reason.
  if (error.code === 'commander.help') return `one more word is needed\n\n${text.trimEnd()}`;
  return error.message.replace(/^error: /, '');
}

function isSuperfluous(error: unknown): error is CommanderError {
  return error instanceof CommanderError && error.code === 'commander.excessArguments';
}

/** Words where none are taken are often names of files. */
function superfluous(
  { message }: CommanderError,
  commands: readonly CliCommand[],
  argv: readonly string[],
): string {
  const [, given = ''] = /but got \d+: ([\s\S]*)\.$/.exec(message) ?? [];
  const name = nameIn(commands, argv);
  const command = commands.find((one) => one.name === name);
  const taken = (command?.words ?? []).map(({ name: word }) => word);
  const what = taken.length === 0 ? 'no words, only flags' : `${taken.join(' ')} and no more`;
  const taking = `not all of "${given}" is wanted: it takes ${what}`;
  const flag = ['values', 'file'].find((one) => command !== undefined && one in command.options);
  return flag === undefined ? taking : `${taking}; files are named by --${flag}`;
}

function nameIn(commands: readonly CliCommand[], argv: readonly string[]): string {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(' ');
    if (commands.some((command) => `${command.name} `.startsWith(`${name} `))) return name;
  }
  return '';
}
