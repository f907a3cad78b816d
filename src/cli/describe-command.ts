import type { CliCommand, CliOption } from './cli-command.ts';
import { oneOf } from './fill-options.ts';

/** What the program says of itself above the list of its commands. */
export function describeProgram(): string {
  return [
    'HAPTIC: an ingress controller for HAProxy on Kubernetes whose configuration is made by templates.',
    '',
    "haptic COMMAND --help tells a command's options and examples. Every flag can be given as a variable, too: HAPTIC_RUN_HAPROXY for " +
      'haptic run --haproxy. Exit codes: 0 done, 1 failed, 2 usage.',
  ].join('\n');
}

/** What stands between the usage and the options of a command's help. */
export function describeCommand({ summary, description }: CliCommand): string {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return description === undefined ? sentence : `${sentence}\n\n${description}`;
}

/** What follows the options: variables, exit codes, examples. */
export function moreOfCommand({ environment, exitCodes, examples }: CliCommand): string {
  const parts = [
    ...(environment === undefined ? [] : [list('Environment', pairs(environment))]),
    ...(exitCodes === undefined ? [] : [list('Exit codes', pairs(exitCodes))]),
    ...(examples.length === 0
      ? []
      : [
          list(
            'Examples',
            examples.flatMap(({ what, line }) => [`# ${what}`, line]),
          ),
        ]),
  ];
  return parts.map((part) => `\n${part}`).join('\n');
}

/** The summary with what is taken when the flag is not given. */
export function describeOption({
  summary,
  choices,
  env,
  default: fixed,
  otherwise,
  repeat,
  required,
}: CliOption): string {
  const facts = [
    ...(choices === undefined ? [] : [oneOf(choices)]),
    ...(repeat === true ? ['may be repeated'] : []),
    ...(required === true ? ['required'] : []),
    ...(env === undefined ? [] : [`env ${env}`]),
    ...(otherwise !== undefined ? [`default: ${otherwise}`] : []),
    ...(fixed !== undefined ? [`default ${fixed === '' ? '""' : fixed}`] : []),
  ];
  return facts.length === 0 ? summary : `${summary} (${facts.join('; ')})`;
}

function list(title: string, lines: readonly string[]): string {
  return `${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

function pairs(entries: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(entries).map(({ length }) => length));
  return Object.entries(entries).map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}
