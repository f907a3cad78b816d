import { describe, expect, it } from 'vitest';
import { parseAgentArguments } from '../../../src/cli/agent.ts';

const env = { DATAPLANE_USERNAME: 'admin', DATAPLANE_PASSWORD: 'secret' };
const parse = (...argv: string[]) => {
  const parsed = parseAgentArguments(argv, env);
  if (parsed === 'help') throw new Error('help was not asked for');
  return parsed;
};

describe('haptic agent', () => {
  it('has the defaults of a HAProxy pod', () => {
    expect(parse()).toMatchObject({
      options: {
        baseDir: '/etc/haproxy',
        configFile: 'haproxy.cfg',
        masterSocket: '/etc/haproxy/haproxy-master.sock',
        workerSocket: '/etc/haproxy/haproxy-worker.sock',
        stateFile: '/etc/haproxy/.haptic-agent.json',
        reloadTimeoutMs: 60_000,
        credentials: { username: 'admin', password: 'secret' },
      },
      listen: { host: '::', port: 5555 },
    });
  });

  it('takes paths relative to the base dir or absolute', () => {
    const { options } = parse(
      '--base-dir',
      '/srv/h',
      '--master-socket',
      '/run/m.sock',
      '--config',
      'etc/h.cfg',
    );
    expect(options).toMatchObject({
      masterSocket: '/run/m.sock',
      workerSocket: '/srv/h/haproxy-worker.sock',
      configFile: 'etc/h.cfg',
    });
  });

  it.each([
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    [':5555', { host: '::', port: 5555 }],
  ])('listens at %s', (text, listen) => {
    expect(parse('--listen', text).listen).toEqual(listen);
  });

  it.each([
    [['--listen', '5555'], '--listen'],
    [['--listen', ':99999'], '--listen'],
    [['--reload-timeout', '61s'], '--reload-timeout'],
    [['--reload-timeout', '0s'], '--reload-timeout'],
    [['--reload-timeout', 'soon'], '--reload-timeout'],
    [
      ['--master-socket', 'a', '--worker-socket', './a'],
      '--master-socket and --worker-socket are the same path',
    ],
    [['--state-file', 'haproxy.cfg'], '--config and --state-file are the same path'],
    [['--config', '../haproxy.cfg'], '--config must lie below'],
    [['--unknown'], '--unknown'],
    [['stray'], 'stray'],
  ])('refuses %j by name', (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
  });

  it('does not start without credentials', () => {
    for (const missing of [{}, { DATAPLANE_USERNAME: 'a' }, { ...env, DATAPLANE_PASSWORD: '' }])
      expect(() => parseAgentArguments([], missing)).toThrow('DATAPLANE_USERNAME and DATAPLANE_PASSWORD');
    expect(parseAgentArguments(['--help'], {})).toBe('help');
  });
});
