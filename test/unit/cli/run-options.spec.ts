import { describe, expect, it, test } from 'vitest';
import { parseListen } from '../../../src/cli/parse-listen.ts';
import { parseRunOptions, runUsage } from '../../../src/cli/run-options.ts';

const env = { DATAPLANE_USERNAME: 'haptic', DATAPLANE_PASSWORD: 'secret' };
const valueOf = (flag: string) => (flag === '--watch-timeout' ? '1m' : ':1');
const parse = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  parseRunOptions(argv, { ...env, ...more }, '/libraries');

describe('haptic run', () => {
  it('has defaults for everything but the credentials', () => {
    expect(parse([])).toStrictEqual({
      haproxy: 'haproxy',
      libraries: '/libraries',
      values: [],
      watchTimeoutSeconds: 290,
      healthListen: { host: '::', port: 8080 },
      metricsListen: { host: '::', port: 9090 },
      printConfig: false,
      credentials: { username: 'haptic', password: 'secret' },
      logLevel: 'info',
    });
  });

  it('takes a flag before the environment', () => {
    const variables = { KUBECONFIG: '/env', POD_NAMESPACE: 'env', LOG_LEVEL: 'DEBUG' };
    expect(parse([], variables)).toMatchObject({ kubeconfig: '/env', namespace: 'env', logLevel: 'debug' });
    expect(parse(['--kubeconfig', '/flag', '--namespace', 'flag'], variables)).toMatchObject({
      kubeconfig: '/flag',
      namespace: 'flag',
    });
  });

  it('takes an empty variable for none', () => {
    const options = parse([], { KUBECONFIG: '', POD_NAMESPACE: '' });
    expect(options).not.toHaveProperty('kubeconfig');
    expect(options).not.toHaveProperty('namespace');
  });

  it('takes several files of values, in order', () => {
    expect(parse(['--values', 'a.yaml', '--values', 'b.yaml'])).toMatchObject({
      values: ['a.yaml', 'b.yaml'],
    });
  });

  it('does not start without credentials, but prints its configuration without', () => {
    expect(() => parseRunOptions([], { DATAPLANE_USERNAME: 'haptic' }, '/l')).toThrow(
      'DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set',
    );
    expect(parseRunOptions(['--print-config'], {}, '/l')).toMatchObject({ printConfig: true });
  });

  it.each([
    [['--nonsense'], /'--nonsense'/],
    [['word'], /'word'/],
    [['--health-listen', '8080'], /--health-listen must be \[HOST\]:PORT/],
    [['--metrics-listen', ':99999'], /--metrics-listen must be/],
    [['--watch-timeout', '1s'], /--watch-timeout must be whole seconds from 5s to 1h/],
    [['--watch-timeout', '7500ms'], /--watch-timeout must be whole seconds/],
    [['--watch-timeout', 'soon'], /--watch-timeout: "soon" is not a duration/],
  ])('refuses %j by name', (argv, message) => {
    expect(() => parse(argv)).toThrow(message);
  });

  it('refuses a level of logs that is none', () => {
    expect(() => parse([], { LOG_LEVEL: 'loud' })).toThrow(/LOG_LEVEL must be one of trace, debug/);
  });

  it('names in its help every flag that it takes', () => {
    expect(parse(['--help'])).toBe('help');
    const flags = [...runUsage.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1] ?? '');
    expect(flags).toHaveLength(10);
    for (const flag of flags)
      expect(() => parse(flag === '--print-config' ? [flag] : [flag, valueOf(flag)])).not.toThrow();
  });
});

test.each([
  [':5555', { host: '::', port: 5555 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['localhost:65535', { host: 'localhost', port: 65_535 }],
])('%s is an address to listen at', (text, address) => {
  expect(parseListen(text, '--listen')).toStrictEqual(address);
});

test.each(['', '80', ':', ':65536', '::1:80', '[::1]', 'host:http', ':-1'])('%j is none', (text) => {
  expect(() => parseListen(text, '--listen')).toThrow('--listen must be [HOST]:PORT');
});
