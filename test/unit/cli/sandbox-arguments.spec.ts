import { expect, test, vi } from 'vitest';
import { parseSandboxArguments, runSandboxCommand, sandboxUsage } from '../../../src/cli/sandbox.ts';

test('without a word everything is free and the sample is there', () => {
  expect(parseSandboxArguments([])).toStrictEqual({ once: false, options: { folders: [], sample: true } });
});

test('folders come as words or by flag, ports and HAProxy by flag', () => {
  expect(
    parseSandboxArguments([
      'a',
      ...['--dir', 'c', 'b', '--http-port', '8080', '--api-port', '6443'],
      ...['--haproxy', '/x/haproxy', '--no-sample'],
    ]),
  ).toStrictEqual({
    once: false,
    options: {
      folders: ['a', 'b', 'c'],
      sample: false,
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
  expect(() => parseSandboxArguments(argv)).toThrow(message);
});

test('the help names every flag', () => {
  expect(parseSandboxArguments(['a', '--help'])).toBe('help');
  for (const flag of ['dir', 'http-port', 'api-port', 'haproxy', 'no-sample', 'once'])
    expect(sandboxUsage).toMatch(new RegExp(`^  --${flag} `, 'm'));
});

test('a folder that is not there is a usage error, before anything is started', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect(await runSandboxCommand(['/nowhere/at/all'], {}, new AbortController().signal)).toBe(2);
    expect(stderr).toHaveBeenCalledWith('haptic sandbox: /nowhere/at/all is no folder\n');
  } finally {
    stderr.mockRestore();
  }
});
