import path from 'node:path';
import type { AgentAuth, AgentOptions, DrainOptions } from '../agent/agent-options.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { limits } from '../protocol/limits.ts';
import { tlsNames } from '../protocol/tls-names.ts';
import type { agentOptions } from './agent-command.ts';
import type { CliValues } from './cli-command.ts';
import { parseLogLevel } from './parse-log-level.ts';
import { type ListenAddress, parseListen } from './parse-listen.ts';
import { version } from '../lib/version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface AgentArguments {
  readonly options: AgentOptions;
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly logLevel: string;
}

const minute = 60_000;

/** Flags and environment as options; throws CodedError that says what is wrong with which flag. */
export function parseAgentArguments(
  values: CliValues<typeof agentOptions>,
  env: Environment,
): AgentArguments {
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
    '--bootstrap': file(values.bootstrap ?? ''),
  };
  refuseSamePath(files);
  const configFile = path.relative(baseDir, files['--config']);
  if (configFile.startsWith('..')) throw usage('--config must lie below --base-dir');
  const logLevel = parseLogLevel(values['log-level']);
  const adminSocket = files['--admin-socket'];
  const bootstrapFile = files['--bootstrap'];
  const drain = parseDrain(values, files['--drain-socket']);
  return {
    options: {
      baseDir,
      configFile,
      ...(bootstrapFile !== undefined && { bootstrapFile }),
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
  const minWaitMs = duration(values, 'drain-min-wait', 0, 5 * minute);
  if (minWaitMs > maxWaitMs) throw usage('--drain-min-wait is longer than --drain-max-wait');
  const ignoreFrontends = values['drain-ignore-frontends'].flatMap((list) => list.split(',')).filter(Boolean);
  return socket === undefined ? undefined : { socket, minWaitMs, quietPeriodMs, maxWaitMs, ignoreFrontends };
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
