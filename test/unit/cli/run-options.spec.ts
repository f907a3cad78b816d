import { describe, expect, it, test } from 'vitest';
import { parseListen } from '../../../src/cli/parse-listen.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { parseRunOptions } from '../../../src/cli/run-options.ts';
import { lineOf } from './values-of.ts';

const credentials = { DATAPLANE_USERNAME: 'haptic', DATAPLANE_PASSWORD: 'secret' };
const parse = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  parseRunOptions(lineOf(runCommand, argv, more).values, more, '/libraries');

describe('haptic run', () => {
  it('has defaults for everything', () => {
    expect(parse([])).toStrictEqual({
      haproxy: 'haproxy',
      libraries: '/libraries',
      values: [],
      watchTimeoutSeconds: 290,
      healthListen: { host: '::', port: 8080 },
      metricsListen: { host: '::', port: 9090 },
      printConfig: false,
      agentAccess: {
        tls: { dir: '/etc/haptic/agent-tls/..data', serverName: 'haptic-agent-tls.haptic.svc' },
      },
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

  it('asks agents with Basic credentials only when TLS is explicitly off', () => {
    expect(parse(['--no-agent-tls'], credentials)).toMatchObject({
      agentAccess: { username: 'haptic', password: 'secret' },
    });
    expect(parse([], credentials)).toMatchObject({ agentAccess: { tls: {} } });
    expect(() => parse(['--no-agent-tls'], { DATAPLANE_USERNAME: 'haptic' })).toThrow(
      'DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set',
    );
    expect(parse(['--no-agent-tls', '--print-config'])).toMatchObject({ printConfig: true });
  });

  it('needs no credentials of agents where the configuration is an object, which may name a Secret', () => {
    const { agentAccess } = parse(['--no-agent-tls', '--crd-name', 'web', '--namespace', 'edge'], {});
    expect(agentAccess).toStrictEqual({ username: '', password: '' });
  });

  it('takes the name of the agents from flag, environment, or default', () => {
    const name = (argv: readonly string[], more: Readonly<Record<string, string>>) => {
      const options = parse(argv, more);
      return 'tls' in options.agentAccess ? options.agentAccess.tls.serverName : '';
    };
    expect(name([], { AGENT_TLS_SERVER_NAME: 'env.example' })).toBe('env.example');
    expect(name(['--agent-tls-server-name', 'flag.example'], { AGENT_TLS_SERVER_NAME: 'x' })).toBe(
      'flag.example',
    );
    expect(name([], { AGENT_TLS_SERVER_NAME: '' })).toBe('haptic-agent-tls.haptic.svc');
    expect(name(['--no-agent-tls'], { ...credentials, AGENT_TLS_SERVER_NAME: 'env.example' })).toBe('');
  });

  it('takes the folder of its certificate from flag, environment, or where the chart mounts it', () => {
    const dir = (argv: readonly string[], more: Readonly<Record<string, string>>) => {
      const { agentAccess } = parse(argv, more);
      return 'tls' in agentAccess ? agentAccess.tls.dir : '';
    };
    expect(dir([], { HAPTIC_CONTROLLER_TLS_DIR: '/env' })).toBe('/env');
    expect(dir(['--agent-tls-dir', '/flag'], { HAPTIC_CONTROLLER_TLS_DIR: '/env' })).toBe('/flag');
    expect(dir([], { HAPTIC_CONTROLLER_TLS_DIR: '' })).toBe('/etc/haptic/agent-tls/..data');
    expect(dir(['--no-agent-tls'], { ...credentials, HAPTIC_CONTROLLER_TLS_DIR: '/env' })).toBe('');
  });

  it.each([
    [['--nonsense'], /'--nonsense'/],
    [['word'], /"word".*takes no words/],
    [['--health-listen', '8080'], /--health-listen must be \[HOST\]:PORT/],
    [['--metrics-listen', ':99999'], /--metrics-listen must be/],
    [['--watch-timeout', '1s'], /--watch-timeout must be whole seconds from 5s to 1h/],
    [['--watch-timeout', '7500ms'], /--watch-timeout must be whole seconds/],
    [['--agent-tls-dir', ''], /--agent-tls-dir must name a folder; plain HTTP is --no-agent-tls/],
    [['--agent-tls-server-name', 'a b'], /--agent-tls-server-name .* must be a DNS name/],
    [['--no-agent-tls', '--agent-tls-dir', 'x'], /--no-agent-tls goes with neither/],
    [['--watch-timeout', 'soon'], /--watch-timeout: "soon" is not a duration/],
  ])('refuses %j by name', (argv, message) => {
    expect(() => parse(argv)).toThrow(message);
  });

  it('refuses a level of logs that is none', () => {
    expect(() => parse([], { LOG_LEVEL: 'loud' })).toThrow(/LOG_LEVEL\) must be one of trace, debug/);
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
