import { describe, expect, it } from 'vitest';
import { parseAgentArguments } from '../../../src/cli/agent-arguments.ts';
import { agentCommand } from '../../../src/cli/agent-command.ts';
import { reservedPaths } from '../../../src/agent/agent-options.ts';
import { lineOf } from './values-of.ts';

const credentials = { DATAPLANE_USERNAME: 'admin', DATAPLANE_PASSWORD: 'secret' };
const parseIn = (env: Readonly<Record<string, string>>, argv: readonly string[]) =>
  parseAgentArguments(lineOf(agentCommand, argv, env).values, env);
const parse = (...argv: string[]) => parseIn({}, argv);

describe('haptic agent', () => {
  it('has the defaults of a HAProxy pod', () => {
    expect(parse()).toMatchObject({
      options: {
        baseDir: '/etc/haproxy',
        configFile: 'haproxy.cfg',
        masterSocket: '/etc/haproxy/haproxy-master.sock',
        workerSocket: '/etc/haproxy/haproxy-worker.sock',
        stateFile: '/etc/haproxy/.haptic-agent.json',
        adminSocket: '/etc/haproxy/haptic-agent-admin.sock',
        drain: {
          socket: '/etc/haproxy/haptic-agent-drain.sock',
          minWaitMs: 0,
          quietPeriodMs: 2_000,
          maxWaitMs: 10_000,
          ignoreFrontends: [],
        },
        reloadTimeoutMs: 60_000,
        reloadIntervalMs: 5_000,
        drainTimeoutMs: 60_000,
        auth: {
          kind: 'tls',
          dir: '/etc/haptic/agent-tls/..data',
          clientName: 'haptic-controller-tls.haptic.svc',
        },
      },
      listen: { host: '::', port: 5555 },
      metricsListen: { host: '::', port: 5557 },
      logLevel: 'info',
    });
  });

  it('takes paths relative to the base dir or absolute', () => {
    const { options } = parse(
      ...['--base-dir', '/srv/h', '--master-socket', '/run/m.sock', '--config', 'etc/h.cfg'],
      ...['--admin-socket', 'a.sock', '--drain-socket', '/run/d.sock'],
    );
    expect(options).toMatchObject({
      masterSocket: '/run/m.sock',
      workerSocket: '/srv/h/haproxy-worker.sock',
      configFile: 'etc/h.cfg',
      adminSocket: '/srv/h/a.sock',
      drain: { socket: '/run/d.sock' },
    });
  });

  it('keeps the paths of its own files and sockets from any apply', () => {
    expect([...reservedPaths(parse().options)].sort()).toEqual([
      '.haptic-agent-plan.bin',
      '.haptic-agent.json',
      'haproxy-master.sock',
      'haproxy-worker.sock',
      'haptic-agent-admin.sock',
      'haptic-agent-drain.sock',
    ]);
  });

  it('opens no admin and no drain socket when told so', () => {
    const { options } = parse('--admin-socket', '', '--drain-socket', '');
    expect(options).not.toHaveProperty('adminSocket');
    expect(options).not.toHaveProperty('drain');
  });

  it('reads times as Go writes them, up to their bounds', () => {
    const { options } = parse(
      ...['--reload-timeout', '1m', '--reload-interval-min', '0', '--drain-timeout', '24h'],
      ...['--drain-quiet-period', '1.5s', '--drain-max-wait', '5m', '--drain-min-wait', '4m'],
    );
    expect(options).toMatchObject({
      reloadTimeoutMs: 60_000,
      reloadIntervalMs: 0,
      drainTimeoutMs: 86_400_000,
      drain: { minWaitMs: 240_000, quietPeriodMs: 1_500, maxWaitMs: 300_000 },
    });
  });

  it('takes the frontends that are no traffic as a list and one by one', () => {
    const { options } = parse(
      ...['--drain-ignore-frontends', 'stats,health', '--drain-ignore-frontends', 'status'],
    );
    expect(options.drain?.ignoreFrontends).toEqual(['stats', 'health', 'status']);
  });

  it.each([
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    [':5555', { host: '::', port: 5555 }],
  ])('listens at %s', (text, listen) => {
    expect(parse('--listen', text).listen).toEqual(listen);
    expect(parse('--metrics-listen', text).metricsListen).toEqual(listen);
  });

  it.each([
    [['--listen', '5555'], '--listen'],
    [['--listen', ':99999'], '--listen'],
    [['--metrics-listen', 'x'], '--metrics-listen'],
    [['--reload-timeout', '60.001s'], '--reload-timeout must be between 1ms and 60s'],
    [['--reload-timeout', '0s'], '--reload-timeout'],
    [['--reload-timeout', 'soon'], '--reload-timeout: "soon" is not a duration'],
    [['--reload-interval-min', '61s'], '--reload-interval-min must be between 0ms and 60s'],
    [['--reload-interval-min', '5'], '--reload-interval-min'],
    [['--drain-timeout', '25h'], '--drain-timeout'],
    [['--drain-max-wait', '301s'], '--drain-max-wait must be between 1ms and 300s'],
    [['--drain-max-wait', '0'], '--drain-max-wait'],
    [['--drain-min-wait', '301s'], '--drain-min-wait must be between 0ms and 300s'],
    [['--drain-min-wait', '11s'], '--drain-min-wait is longer than --drain-max-wait'],
    [['--drain-quiet-period', '0'], '--drain-quiet-period'],
    [
      ['--master-socket', 'a', '--worker-socket', './a'],
      '--master-socket and --worker-socket are the same path',
    ],
    [['--state-file', 'haproxy.cfg'], '--config and --state-file are the same path'],
    [
      ['--admin-socket', 'x/../d', '--drain-socket', 'd'],
      '--admin-socket and --drain-socket are the same path',
    ],
    [['--drain-socket', 'haproxy-worker.sock'], '--worker-socket and --drain-socket are the same path'],
    [['--config', '../haproxy.cfg'], '--config must lie below'],
    [['--worker-socket', ''], '--worker-socket must name a file'],
    [['--tls-dir', ''], '--tls-dir must name a folder; plain HTTP is --no-tls'],
    [['--tls-client-name', '*'], '--tls-client-name must be a DNS name'],
    [['--no-tls', '--tls-dir', 'x'], '--no-tls goes with neither'],
    [['--no-tls', '--tls-client-name', 'x'], '--no-tls goes with neither'],
    [['--unknown'], '--unknown'],
    [['stray'], 'stray'],
  ])('refuses %j by name', (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
  });

  it('takes the level of its log from the environment, and refuses one that does not exist', () => {
    expect(parseIn({ LOG_LEVEL: 'DEBUG' }, [])).toMatchObject({ logLevel: 'debug' });
    expect(() => parseIn({ LOG_LEVEL: 'loud' }, [])).toThrow('LOG_LEVEL) must be one of');
  });

  it('takes Basic credentials only where TLS is explicitly off', () => {
    expect(parseIn(credentials, ['--no-tls'])).toMatchObject({
      options: { auth: { kind: 'basic', credentials: { username: 'admin', password: 'secret' } } },
    });
    expect(parseIn(credentials, [])).toMatchObject({ options: { auth: { kind: 'tls' } } });
    for (const missing of [{}, { DATAPLANE_USERNAME: 'a' }, { ...credentials, DATAPLANE_PASSWORD: '' }])
      expect(() => parseIn(missing, ['--no-tls'])).toThrow(
        'DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set with --no-tls',
      );
  });

  it('takes folder and name of its certificates', () => {
    expect(parse('--tls-dir', '/tls', '--tls-client-name', 'c.example').options.auth).toEqual({
      kind: 'tls',
      dir: '/tls',
      clientName: 'c.example',
    });
  });
});
