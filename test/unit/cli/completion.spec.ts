import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliCommands } from '../../../src/cli/cli-commands.ts';
import { completionCommand } from '../../../src/cli/completion-command.ts';
import { completionTree } from '../../../src/cli/completion/completion-tree.ts';
import { callOf } from './values-of.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-completion-'));
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, shell), (await callOf(completionCommand, [shell])).out);
  mkdirSync(join(folder, 'work', 'a folder'), { recursive: true });
  writeFileSync(join(folder, 'work', 'a file.yaml'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The candidates for the last of the words, which may be empty. */
type Complete = (words: readonly string[]) => readonly string[];

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
const run = (file: string, args: readonly string[], input?: string) =>
  execFileSync(file, args, {
    encoding: 'utf8',
    cwd: join(folder, 'work'),
    timeout: 20_000,
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(input !== undefined && { input }),
  });

const bash: Complete = (words) =>
  linesOf(
    run('bash', [
      '--norc',
      '-c',
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _haptic; printf "%s\\n" "${COMPREPLY[@]}"',
      'bash',
      join(folder, 'bash'),
      ...words,
    ]),
  );

const fish: Complete = (words) =>
  linesOf(
    run('fish', [
      '--no-config',
      '-c',
      `source ${join(folder, 'fish')}; complete --do-complete "$argv[1]"`,
      words.join(' '),
    ]),
  ).map((line) => line.split('\t')[0]!);

/** What zsh would offer, told by its own `compadd` in a terminal of zsh's making. */
const zsh: Complete = (words) => {
  const script = `
    zmodload zsh/zpty
    zpty inner zsh -f -i
    say() { zpty -w inner "$1" }
    say 'PROMPT= RPROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit; compinit -u -D; source ${join(folder, 'zsh')}; zstyle ":completion:*" list-prompt ""'
    say 'compadd() { if [[ " $* " == *" -O "* || " $* " == *" -A "* || " $* " == *" -D "* ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -O hits "$@"; local hit; for hit in $hits; do print -r -- "<$hit>"; done; builtin compadd "$@" }'
    say 'done-line() { print -r -- "<<end>>" }; zle -N done-line; bindkey "^X^E" done-line; print -r -- "<<""ready>>"'
    zpty -r inner out '*<<ready>>*'
    zpty -n -w inner "\${1}"$'\\t'$'\\x18\\x05'
    zpty -r inner out '*<<end>>*'
    print -r -- "$out"
    zpty -d inner
  `;
  const text = run('zsh', ['-f', '-c', script, 'zsh', words.join(' ')]);
  return [...new Set([...text.matchAll(/<([^<>\r\n]+)>/g)].map((match) => match[1]!))].filter(
    (hit) => hit !== 'end',
  );
};

const isThere = (shell: string) => {
  try {
    execFileSync(shell, ['-c', ':'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const shells: readonly (readonly [string, Complete])[] = [
  ['bash', bash],
  ...(isThere('zsh') ? [['zsh', zsh] as const] : []),
  ...(isThere('fish') ? [['fish', fish] as const] : []),
];

describe.each(shells)('%s', (_shell, complete) => {
  test('offers every command', () => {
    const offered = complete(['haptic', '']);
    for (const { name } of cliCommands) expect(offered).toContain(name.split(' ')[0]);
  });

  test('completes a command by its beginning', () => {
    expect(complete(['haptic', 'certif'])).toStrictEqual(['certificates']);
  });

  test('offers what stands below a command', () => {
    expect(complete(['haptic', 'agent', ''])).toEqual(expect.arrayContaining(['state', 'health', 'drain']));
    expect(complete(['haptic', 'agent', 'dr'])).toStrictEqual(['drain']);
  });

  test("offers a command's flags, and no other's", () => {
    const offered = complete(['haptic', 'tap', '--']);
    expect(offered).toEqual(expect.arrayContaining(['--filter', '--limit', '--help']));
    expect(offered).not.toContain('--base-dir');
    expect(complete(['haptic', 'agent', 'state', '--ver'])).toStrictEqual(['--verify']);
  });

  test('offers the values of a flag', () => {
    expect([...complete(['haptic', 'certificates', '--output', ''])].sort()).toStrictEqual([
      'json',
      'text',
      'yaml',
    ]);
    expect(complete(['haptic', 'certificates', '-o', 'y'])).toStrictEqual(['yaml']);
  });

  test('offers the words of a command', () => {
    expect([...complete(['haptic', 'completion', ''])].sort()).toStrictEqual(['bash', 'fish', 'zsh']);
  });

  test('completes files and folders where a path is meant', () => {
    const files = complete(['haptic', 'run', '--values', '']).map((name) => name.replace(/\\|\/$/g, ''));
    expect([...files].sort()).toStrictEqual(['a file.yaml', 'a folder']);
    const folders = complete(['haptic', 'run', '--libraries', '']).map((name) => name.replace(/\\|\/$/g, ''));
    expect(folders).toStrictEqual(['a folder']);
  });

  test('offers nothing for a value that can be anything', () => {
    expect(complete(['haptic', 'run', '--context', 'x'])).toStrictEqual([]);
  });
});

test('bash completes what follows an equals sign, which it takes for a word', () => {
  expect(bash(['haptic', 'version', '--output', '=', 'j'])).toStrictEqual(['json']);
  expect(bash(['haptic', 'version', '--output', '='])).toStrictEqual(['text', 'json', 'yaml']);
});

test('places are the program, its groups and its commands', () => {
  const tree = completionTree(cliCommands);
  expect(tree.find(({ path }) => path === '')?.children.map(({ name }) => name)).toContain('agent');
  expect(tree.find(({ path }) => path === 'agent')?.children.map(({ name }) => name)).toStrictEqual([
    'state',
    'health',
    'drain',
  ]);
  expect(tree.find(({ path }) => path === 'run')?.flags).toContainEqual({
    flag: '--values',
    summary: 'configuration merged last',
    repeat: true,
    value: { kind: 'files' },
    placeholder: 'FILE',
  });
});

test('a shell that is not known is refused by name', async () => {
  expect(await callOf(completionCommand, ['tcsh'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('SHELL must be bash, zsh or fish, not "tcsh"') as string,
  });
});
