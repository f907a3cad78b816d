import { expect, test } from 'vitest';
import { parseCommand, usage } from '../../../src/cli/parse-command.ts';

test.each(['run', 'agent', 'certificates', 'sandbox'])('%s takes the rest of the line as its own', (name) => {
  expect(parseCommand([name, 'dir', '--help', '--version'])).toStrictEqual({
    kind: 'command',
    name,
    argv: ['dir', '--help', '--version'],
  });
});

test.each([[[]], [['help']], [['--help']], [['-h', 'run']]])('%j asks for help', (argv) => {
  expect(parseCommand(argv)).toStrictEqual({ kind: 'help' });
});

test.each([[['version']], [['--version']]])('%j asks for the version', (argv) => {
  expect(parseCommand(argv)).toStrictEqual({ kind: 'version' });
});

test.each(['Run', '', 'constructor', '--verbose'])('%j is no command', (name) => {
  expect(parseCommand([name])).toStrictEqual({ kind: 'unknown', name });
});

test('the usage names every command', () => {
  for (const name of ['run', 'agent', 'certificates', 'sandbox', 'version', 'help'])
    expect(usage).toMatch(`\n  ${name} `);
});
