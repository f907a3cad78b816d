import { expect, test } from 'vitest';
import { sandboxCommand } from '../../../src/cli/sandbox-command.ts';
import { parseSandboxArguments } from '../../../src/cli/sandbox.ts';
import { callOf, lineOf } from './values-of.ts';

const parse = (argv: readonly string[]) => {
  const { values, words } = lineOf(sandboxCommand, argv);
  return parseSandboxArguments(values, words);
};

test('without a word everything is free and the sample is there', () => {
  expect(parse([])).toStrictEqual({ once: false, options: { folders: [], sample: true, webhook: true } });
});

test('folders come as words or by flag, ports and HAProxy by flag', () => {
  expect(
    parse([
      'a',
      ...['--dir', 'c', 'b', '--http-port', '8080', '--api-port', '6443'],
      ...['--haproxy', '/x/haproxy', '--no-sample', '--no-webhook'],
    ]),
  ).toStrictEqual({
    once: false,
    options: {
      folders: ['a', 'b', 'c'],
      sample: false,
      webhook: false,
      httpPort: 8080,
      apiPort: 6443,
      haproxy: '/x/haproxy',
    },
  });
});

test.each([
  [['--http-port', '0'], '--http-port must be a port from 1 to 65535, not "0"'],
  [['--api-port', '65536'], '--api-port must be a port from 1 to 65535, not "65536"'],
  [['--api-port', 'http'], '--api-port must be a port from 1 to 65535, not "http"'],
  [['--once', '--no-sample'], '--once checks the sample'],
  [['--nonsense'], "'--nonsense'"],
])('%j is refused by name', (argv, message) => {
  expect(() => parse(argv)).toThrow(message);
});

test('a folder that is not there is a usage error, before anything is started', async () => {
  expect(await callOf(sandboxCommand, ['/nowhere/at/all'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('haptic sandbox: /nowhere/at/all is no folder\n') as string,
  });
});

test('controllers are counted on one hand or two', () => {
  expect(parse(['--controllers', '2']).options).toMatchObject({ controllers: 2 });
  for (const wrong of ['0', '10', 'two', ''])
    expect(() => parse(['--controllers', wrong])).toThrow('--controllers must be a number from 1 to 9');
});
