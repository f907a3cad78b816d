import path from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentAuth, AgentOptions, DrainOptions } from '../agent/agent-options.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { limits } from '../protocol/limits.ts';
import { tlsNames } from '../protocol/tls-names.ts';
import { type ListenAddress, parseListen } from './parse-listen.ts';
import { version } from './version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const agentUsage = `haptic agent: the sidecar that owns a HAProxy pod's files and sockets

  --base-dir DIR               folder of HAProxy's files (/etc/haproxy)
  --config FILE                HAProxy's configuration (haproxy.cfg)
  --master-socket FILE         the master's CLI socket (haproxy-master.sock)
  --worker-socket FILE         the worker's CLI socket (haproxy-worker.sock)
  --state-file FILE            the agent's own record (.haptic-agent.json)
  --listen [HOST]:PORT         the controller's interface (:5555)
  --tls-dir DIR                tls.crt, tls.key and ca.crt, read again when they change (/etc/haptic/agent-tls/..data)
  --tls-client-name NAME       DNS name in the controller's certificate (${tlsNames.controller})
  --no-tls                     plain HTTP, and Basic credentials instead of certificates
  --metrics-listen [HOST]:PORT Prometheus metrics, and probes (:5557)
  --admin-socket FILE          answers \`haptic agent state\` and \`health\` (haptic-agent-admin.sock); "" for none
  --drain-socket FILE          answers \`haptic agent drain\` (haptic-agent-drain.sock); "" for none
  --drain-quiet-period TIME    drained after so long without a new connection, up to 5m (2s)
  --drain-max-wait TIME        longest wait for that, up to 5m (10s)
  --drain-ignore-frontends A,B frontends whose connections are no traffic
  --drain-timeout TIME         how long sessions may use a removed server, up to 24h (60s)
  --reload-timeout TIME        longest wait for a reload, up to 60s (60s)
  --reload-interval-min TIME   shortest time between two reloads, up to 60s; 0 for none (5s)
  --help

Paths are relative to the base dir unless absolute. Times are written like 500ms, 2s or 1m30s.
Environment: LOG_LEVEL (info); with --no-tls, DATAPLANE_USERNAME and DATAPLANE_PASSWORD.

haptic agent state|health|drain asks a running agent; each has its own --help.
`;

export interface AgentArguments {
  readonly options: AgentOptions;
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly logLevel: string;
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const minute = 60_000;

/** Flags and environment as options; throws CodedError or TypeError that says what is wrong with which flag. */
export function parseAgentArguments(argv: readonly string[], env: Environment): AgentArguments | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    options: {
      'base-dir': { type: 'string', default: '/etc/haproxy' },
      config: { type: 'string', default: 'haproxy.cfg' },
      'master-socket': { type: 'string', default: 'haproxy-master.sock' },
      'worker-socket': { type: 'string', default: 'haproxy-worker.sock' },
      'state-file': { type: 'string', default: '.haptic-agent.json' },
      listen: { type: 'string', default: ':5555' },
      'tls-dir': { type: 'string' },
      'tls-client-name': { type: 'string' },
      'no-tls': { type: 'boolean', default: false },
      'metrics-listen': { type: 'string', default: ':5557' },
      'admin-socket': { type: 'string', default: 'haptic-agent-admin.sock' },
      'drain-socket': { type: 'string', default: 'haptic-agent-drain.sock' },
      'drain-quiet-period': { type: 'string', default: '2s' },
      'drain-max-wait': { type: 'string', default: '10s' },
      'drain-ignore-frontends': { type: 'string', multiple: true, default: [] },
      'drain-timeout': { type: 'string', default: '60s' },
      'reload-timeout': { type: 'string', default: '60s' },
      'reload-interval-min': { type: 'string', default: '5s' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const baseDir = path.resolve(values['base-dir']);
  const file = (name: string) => (name === '' ? undefined : path.resolve(baseDir, name));
  const needed = (flag: 'config' | 'master-socket' | 'worker-socket' | 'state-file') => {
    const found = file(values[flag]);
    if (found === undefined) throw usage(`--${flag} must name a file`);
    return found;
  };
  const files = {
    '--config': needed('config'),
    '--master-socket': needed('master-socket'),
    '--worker-socket': needed('worker-socket'),
    '--state-file': needed('state-file'),
    '--admin-socket': file(values['admin-socket']),
    '--drain-socket': file(values['drain-socket']),
  };
  refuseSamePath(files);
  const configFile = path.relative(baseDir, files['--config']);
  if (configFile.startsWith('..')) throw usage('--config must lie below --base-dir');
  const logLevel = (env['LOG_LEVEL'] ?? 'info').toLowerCase();
  if (!levels.includes(logLevel)) throw usage(`LOG_LEVEL must be one of ${levels.join(', ')}`);
  const adminSocket = files['--admin-socket'];
  const drain = parseDrain(values, files['--drain-socket']);
  return {
    options: {
      baseDir,
      configFile,
      masterSocket: files['--master-socket'],
      workerSocket: files['--worker-socket'],
      stateFile: files['--state-file'],
      reloadTimeoutMs: duration(values, 'reload-timeout', 1, limits.reloadMs),
      reloadIntervalMs: duration(values, 'reload-interval-min', 0, limits.reloadIntervalMs),
      drainTimeoutMs: duration(values, 'drain-timeout', 0, 24 * 60 * minute),
      auth: parseAuth(values, env),
      ...(adminSocket !== undefined && { adminSocket }),
      ...(drain !== undefined && { drain }),
      agentVersion: version,
    },
    listen: parseListen(values.listen, '--listen'),
    metricsListen: parseListen(values['metrics-listen'], '--metrics-listen'),
    logLevel,
  };
}

interface AuthFlags {
  readonly 'tls-dir'?: string | undefined;
  readonly 'tls-client-name'?: string | undefined;
  readonly 'no-tls': boolean;
}

/** Plain HTTP must be asked for: nothing that is missing or empty leads to it. */
function parseAuth(flags: AuthFlags, env: Environment): AgentAuth {
  const { 'tls-dir': dir, 'tls-client-name': clientName = tlsNames.controller } = flags;
  if (!flags['no-tls']) {
    if (dir === '') throw usage('--tls-dir must name a folder; plain HTTP is --no-tls');
    if (!/^[A-Za-z0-9.-]+$/.test(clientName)) throw usage('--tls-client-name must be a DNS name');
    return { kind: 'tls', dir: path.resolve(dir ?? '/etc/haptic/agent-tls/..data'), clientName };
  }
  if (dir !== undefined || flags['tls-client-name'] !== undefined)
    throw usage('--no-tls goes with neither --tls-dir nor --tls-client-name');
  const username = env['DATAPLANE_USERNAME'] ?? '';
  const password = env['DATAPLANE_PASSWORD'] ?? '';
  if (username === '' || password === '')
    throw usage('DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set with --no-tls');
  return { kind: 'basic', credentials: { username, password } };
}

function parseDrain(
  values: { readonly [flag: string]: unknown; readonly 'drain-ignore-frontends': readonly string[] },
  socket: string | undefined,
): DrainOptions | undefined {
  const quietPeriodMs = duration(values, 'drain-quiet-period', 1, 5 * minute);
  const maxWaitMs = duration(values, 'drain-max-wait', 1, 5 * minute);
  const ignoreFrontends = values['drain-ignore-frontends'].flatMap((list) => list.split(',')).filter(Boolean);
  return socket === undefined ? undefined : { socket, quietPeriodMs, maxWaitMs, ignoreFrontends };
}

function refuseSamePath(files: Readonly<Record<string, string | undefined>>): void {
  const seen = new Map<string, string>();
  for (const [flag, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const other = seen.get(file);
    if (other !== undefined) throw usage(`${other} and ${flag} are the same path: ${file}`);
    seen.set(file, flag);
  }
}

/** Milliseconds within the bounds, both allowed. */
function duration(
  values: Readonly<Record<string, unknown>>,
  flag: string,
  least: number,
  most: number,
): number {
  const ms = parseDuration(String(values[flag]), `--${flag}`);
  if (ms >= least && ms <= most) return ms;
  throw usage(`--${flag} must be between ${String(least)}ms and ${String(most / 1000)}s`);
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_AGENT_USAGE', message);
}
