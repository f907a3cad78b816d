import { describe, expect, it, test } from 'vitest';
import { agentCommands } from '../../../src/cli/agent-command.ts';
import { cliCommands } from '../../../src/cli/cli-commands.ts';
import { type CliOptions, defineCommand } from '../../../src/cli/cli-command.ts';
import { variableOf } from '../../../src/cli/fill-options.ts';
import { parseCommandLine } from '../../../src/cli/parse-command-line.ts';
import { parsePlain } from '../../../src/cli/parse-plain.ts';
import { validateCommand } from '../../../src/cli/validate-command.ts';

const options = {
  file: { value: 'FILE', summary: 'a file', short: 'f', env: 'SAMPLE_FILE' },
  format: {
    value: 'FORMAT',
    summary: 'a format',
    choices: ['text', 'json'],
    default: 'text',
    env: 'SAMPLE_FORMAT',
  },
  test: { value: 'NAME', summary: 'a test', repeat: true, env: 'SAMPLE_TESTS' },
  'no-color': { summary: 'no colors', env: 'SAMPLE_NO_COLOR' },
  'dry-run': { summary: 'changes nothing' },
} as const satisfies CliOptions;
const load = () => Promise.resolve(() => Promise.resolve(0));
const sample = defineCommand({ name: 'sample', summary: 'a sample', options, examples: [], load });
const needy = defineCommand({
  name: 'config view',
  summary: 'shows it',
  options: { from: { value: 'URL', summary: 'from where', required: true, env: 'SAMPLE_FROM' } },
  words: [
    { name: 'KIND', summary: 'what', choices: ['map', 'file'] },
    { name: 'NAME', summary: 'which', optional: true, repeat: true },
  ],
  examples: [{ what: 'A map', line: 'haptic config view map --from http://x' }],
  load,
});
const parse = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  parseCommandLine([sample, needy], argv, env);
const valuesOf = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const line = parse(argv, env);
  return line.kind === 'call' ? line.values : line;
};

describe('options', () => {
  it('have a value each, whether given or not', () => {
    expect(valuesOf(['sample'])).toStrictEqual({
      file: undefined,
      format: 'text',
      test: [],
      'no-color': false,
      'dry-run': false,
    });
  });

  it('are taken from the line before the environment before the default', () => {
    const env = { SAMPLE_FILE: 'e', SAMPLE_FORMAT: 'json', SAMPLE_TESTS: 'a,b', SAMPLE_NO_COLOR: 'true' };
    expect(valuesOf(['sample'], env)).toMatchObject({
      file: 'e',
      format: 'json',
      test: ['a', 'b'],
      'no-color': true,
    });
    expect(
      valuesOf(['sample', '-f', 'l', '--format=text', '--test', 'c', '--test', 'd', '--dry-run'], env),
    ).toMatchObject({ file: 'l', format: 'text', test: ['c', 'd'], 'dry-run': true });
  });

  it('are taken from a variable named by command and flag, before one of their own', () => {
    const named = {
      ...{ HAPTIC_SAMPLE_FORMAT: 'json', HAPTIC_SAMPLE_DRY_RUN: '1', HAPTIC_SAMPLE_TEST: 'x' },
      ...{ SAMPLE_FORMAT: 'text', SAMPLE_TESTS: 'a,b', HAPTIC_SAMPLE_FILE: '', SAMPLE_FILE: 'own' },
    };
    expect(valuesOf(['sample'], named)).toMatchObject({
      format: 'json',
      'dry-run': true,
      test: ['x'],
      file: 'own',
    });
    expect(valuesOf(['sample', '--format', 'text'], named)).toMatchObject({ format: 'text' });
    expect(valuesOf(['config', 'view', 'map'], { HAPTIC_CONFIG_VIEW_FROM: 'x' })).toStrictEqual({
      from: 'x',
    });
    expect(parse(['sample'], { HAPTIC_SAMPLE_FORMAT: 'xml' })).toMatchObject({
      reason: 'HAPTIC_SAMPLE_FORMAT must be text or json, not "xml"',
    });
  });

  it('are not taken from a variable that is empty', () => {
    expect(valuesOf(['sample'], { SAMPLE_FILE: '', SAMPLE_FORMAT: '', SAMPLE_NO_COLOR: '' })).toMatchObject({
      file: undefined,
      format: 'text',
      'no-color': false,
    });
  });

  it('may have an empty value where the line says so', () => {
    expect(valuesOf(['sample', '--file', ''], { SAMPLE_FILE: 'e' })).toMatchObject({ file: '' });
    expect(valuesOf(['sample', '--file='])).toMatchObject({ file: '' });
  });

  it.each([
    [['--format', 'xml'], {}, '--format must be text or json, not "xml"'],
    [[], { SAMPLE_FORMAT: 'xml' }, 'SAMPLE_FORMAT must be text or json, not "xml"'],
    [[], { SAMPLE_NO_COLOR: 'maybe' }, 'SAMPLE_NO_COLOR must be true or false, not "maybe"'],
    [['--fil', 'x'], {}, "unknown option '--fil'\n(Did you mean --file?)"],
    [['--file'], {}, 'argument missing'],
    [['word'], {}, 'not all of "word" is wanted: it takes no words, only flags; files are named by --file'],
  ])('%j under %j are refused by name', (argv, env, reason) => {
    const line = parse(['sample', ...argv], env);
    expect(line).toMatchObject({ kind: 'refused', name: 'sample' });
    expect(line.kind === 'refused' && line.reason).toContain(reason);
  });

  it('that are required may come from the environment', () => {
    expect(parse(['config', 'view', 'map'])).toStrictEqual({
      kind: 'refused',
      name: 'config view',
      reason: '--from is missing, and so are HAPTIC_CONFIG_VIEW_FROM and SAMPLE_FROM',
    });
    expect(valuesOf(['config', 'view', 'map'], { SAMPLE_FROM: 'x' })).toStrictEqual({ from: 'x' });
  });
});

describe('words', () => {
  const words = (...argv: string[]) => {
    const line = parse(['config', 'view', ...argv, '--from', 'x']);
    return line.kind === 'call' ? line.words : line;
  };

  it('are taken in order, with flags between them', () => {
    expect(words('map', 'a', 'b')).toStrictEqual(['map', 'a', 'b']);
    expect(words('file')).toStrictEqual(['file']);
    expect(parse(['config', 'view', 'map', '--from', 'x', 'a'])).toMatchObject({ words: ['map', 'a'] });
  });

  it('are refused when missing or none of the choices', () => {
    expect(words('maps')).toMatchObject({ reason: 'KIND must be map or file, not "maps"' });
    expect(words()).toMatchObject({ kind: 'refused', name: 'config view' });
  });

  it('that are files of a configuration are told where they belong', () => {
    const line = parseCommandLine([validateCommand], ['validate', 'mine.yaml'], {});
    expect(line).toMatchObject({
      kind: 'refused',
      reason: 'not all of "mine.yaml" is wanted: it takes no words, only flags; files are named by --file',
    });
  });
});

describe('the command', () => {
  it.each([
    [['sampel'], '', "unknown command 'sampel'\n(Did you mean sample?)"],
    [['Sample'], '', "unknown command 'Sample'"],
    [['sampel', '--help'], '', "unknown command 'sampel'\n(Did you mean sample?)"],
    [['help', 'sampel'], '', "unknown command 'sampel'\n(Did you mean sample?)"],
    [['constructor'], '', "unknown command 'constructor'"],
    [['--verbose'], '', "unknown option '--verbose'"],
    [['config'], 'config', 'view'],
    [['config', 'vieuw'], 'config', "unknown command 'vieuw'\n(Did you mean view?)"],
  ])('%j is none', (argv, name, reason) => {
    const line = parse(argv);
    expect(line).toMatchObject({ kind: 'refused', name });
    expect(line.kind === 'refused' && line.reason).toContain(reason);
  });

  it.each([[[]], [['help']], [['--help']], [['-h']]])('%j asks for the help of all', (argv) => {
    const line = parse(argv);
    expect(line.kind).toBe('help');
    expect(line.kind === 'help' && line.text).toMatch(/^Usage: haptic COMMAND[^]*\n {2}sample +a sample\n/);
  });

  it.each([[['config', 'view', '--help']], [['help', 'config', 'view']], [['config', 'view', 'map', '-h']]])(
    '%j asks for the help of one, with its examples',
    (argv) => {
      const line = parse(argv);
      expect(line.kind === 'help' && line.text).toMatch(
        /Usage: haptic config view[^]*--from URL +from where \(required; env SAMPLE_FROM\)/,
      );
      expect(line.kind === 'help' && line.text).toContain(
        '# A map\n  haptic config view map --from http://x',
      );
    },
  );

  it('takes --version for the command of that name', () => {
    expect(parseCommandLine(cliCommands, ['--version'], {})).toMatchObject({
      kind: 'call',
      command: { name: 'version' },
    });
  });
});

describe('what lives in every pod is parsed alike with and without the library', () => {
  test.each([
    ['agent', []],
    [
      'agent',
      ['--no-tls', '--base-dir=/x', '--drain-ignore-frontends', 'a', '--drain-ignore-frontends', 'b,c'],
    ],
    ['agent', ['--admin-socket', '', '--log-level', 'debug']],
    ['agent state', ['--verify', '-o', 'json', '--files']],
    ['agent health', ['--admin-socket', 'x']],
    ['agent drain', []],
  ])('%s %j', (name, argv) => {
    const command = agentCommands.find((one) => one.name === name)!;
    const env = { LOG_LEVEL: 'warn' };
    const line = parseCommandLine(agentCommands, [...name.split(' '), ...argv], env);
    expect(line.kind).toBe('call');
    expect(parsePlain(command, argv, env)).toStrictEqual(line.kind === 'call' && line.values);
  });

  test.each([['--help'], ['-h'], ['word'], ['--nonsense'], ['--listen'], ['--no-tls=1']])(
    '%s is left to the library',
    (word) => {
      expect(parsePlain(agentCommands[0]!, [word], {})).toBeUndefined();
    },
  );
});

test('no two flags share a variable', () => {
  const names = cliCommands.flatMap(({ name, options }) =>
    Object.keys(options).map((flag) => variableOf(name, flag)),
  );
  const own = cliCommands.flatMap(({ options }) => Object.values(options).flatMap(({ env }) => env ?? []));
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => own.includes(name))).toStrictEqual([]);
  for (const name of names) expect(name).toMatch(/^HAPTIC_[A-Z]+(_[A-Z]+)+$/);
});

describe.each(cliCommands.map((command) => [command.name, command] as const))(
  'haptic %s',
  (name, command) => {
    test('has a summary, an example of itself, and a description of every flag', () => {
      expect(command.summary).toMatch(/^[^A-Z].*[^.]$/);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const { what, line } of command.examples) {
        expect(line).toContain(`haptic ${name}`);
        expect(what).toMatch(/^[A-Z].*[^.]$/);
      }
      for (const { summary } of Object.values(command.options)) expect(summary).toMatch(/^\S.*[^.]$/);
    });

    test('takes the lines of its own examples', () => {
      for (const { line } of command.examples) {
        const argv = line
          .split(/ \| | > /)[0]!
          .split(' ')
          .slice(1);
        const parsed = parseCommandLine(cliCommands, argv, {});
        expect(parsed.kind === 'refused' ? parsed.reason : parsed.kind).toBe('call');
        expect(parsed).toMatchObject({ command: { name } });
      }
    });

    test('is loaded by its declaration', async () => {
      expect(await command.load()).toBeTypeOf('function');
    });
  },
);
