import type { CliCommand, CliOption } from '../cli-command.ts';

/** What may stand for a value: some words, a path, or anything. */
export type CompletedValue =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' }
  | { readonly kind: 'anything' };

export interface CompletedFlag {
  /** With its dashes. */
  readonly flag: string;
  readonly short?: string;
  readonly summary: string;
  readonly repeat: boolean;
  /** Absent: a switch. */
  readonly value?: CompletedValue;
  /** What stands for the value in help. */
  readonly placeholder?: string;
}

/** One place where words are completed: after the program's name, after a group, or after a command. */
export interface CompletedPlace {
  /** `` for the program itself, `config`, `config view`. */
  readonly path: string;
  readonly children: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly CompletedFlag[];
  /** Of the words behind the command. */
  readonly words: readonly CompletedValue[];
  /** The last of `words` stands for all that follow. */
  readonly repeatsLast: boolean;
}

const help: CompletedFlag = { flag: '--help', short: '-h', summary: 'help', repeat: false };

/** The commands as places, the program itself first. */
export function completionTree(commands: readonly CliCommand[]): readonly CompletedPlace[] {
  const paths = new Set(['']);
  for (const { name } of commands) {
    const words = name.split(' ');
    for (const [index] of words.entries()) paths.add(words.slice(0, index + 1).join(' '));
  }
  return [...paths].map((path) => {
    const command = commands.find(({ name }) => name === path);
    const words = command?.words ?? [];
    return {
      path,
      children: childrenOf(path, paths, commands),
      flags: [...Object.entries(command?.options ?? {}).map(([flag, option]) => toFlag(flag, option)), help],
      words: words.map(({ name, choices }) => valueOf(name, choices)),
      repeatsLast: words.at(-1)?.repeat === true,
    };
  });
}

function childrenOf(path: string, paths: ReadonlySet<string>, commands: readonly CliCommand[]) {
  const prefix = path === '' ? '' : `${path} `;
  const isChild = (other: string) =>
    other !== '' && other.startsWith(prefix) && !other.slice(prefix.length).includes(' ') && other !== path;
  return [...paths].filter(isChild).map((child) => {
    const own = commands.find(({ name }) => name === child);
    const first = commands.find(({ name }) => name.startsWith(`${child} `));
    return { name: child.slice(prefix.length), summary: (own ?? first)?.summary ?? '' };
  });
}

function toFlag(flag: string, { value, short, summary, repeat, choices }: CliOption): CompletedFlag {
  return {
    flag: `--${flag}`,
    ...(short !== undefined && { short: `-${short}` }),
    summary,
    repeat: repeat === true,
    ...(value !== undefined && { value: valueOf(value, choices), placeholder: value }),
  };
}

function valueOf(placeholder: string, choices: readonly string[] | undefined): CompletedValue {
  if (choices !== undefined) return { kind: 'words', words: choices };
  if (/^(FILE|PATH|PLACE)$/.test(placeholder)) return { kind: 'files' };
  return placeholder === 'DIR' ? { kind: 'folders' } : { kind: 'anything' };
}
