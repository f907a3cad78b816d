import path from 'node:path';
import type { AgentAccess } from '../fleet/agent-pool.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { tlsNames } from '../protocol/tls-names.ts';
import type { CliValues } from './cli-command.ts';
import { type ListenAddress, parseListen } from './parse-listen.ts';
import { parseLogLevel } from './parse-log-level.ts';
import type { runOptions } from './run-command.ts';

export interface RunOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly haproxy: string;
  readonly libraries: string;
  readonly values: readonly string[];
  /** Whole seconds. */
  readonly watchTimeoutSeconds: number;
  readonly healthListen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly printConfig: boolean;
  readonly agentAccess: AgentAccess;
  readonly logLevel: string;
}

/**
 * Flags and environment of `haptic run`.
 *
 * @param defaultLibraries folder of the libraries that this program ships with
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming the flag
 */
export function parseRunOptions(
  values: CliValues<typeof runOptions>,
  env: Readonly<Record<string, string | undefined>>,
  defaultLibraries: string,
): RunOptions {
  const { kubeconfig, namespace } = values;
  return {
    ...(kubeconfig === undefined || kubeconfig === '' ? {} : { kubeconfig }),
    ...(values.context === undefined ? {} : { context: values.context }),
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    haproxy: values.haproxy,
    libraries: values.libraries ?? defaultLibraries,
    values: values.values,
    watchTimeoutSeconds: parseWatchTimeout(values['watch-timeout']),
    healthListen: parseListen(values['health-listen'], '--health-listen'),
    metricsListen: parseListen(values['metrics-listen'], '--metrics-listen'),
    printConfig: values['print-config'],
    agentAccess: parseAgentAccess(values, env),
    logLevel: parseLogLevel(values['log-level']),
  };
}

interface AccessFlags {
  readonly 'agent-tls-dir'?: string | undefined;
  readonly 'agent-tls-server-name'?: string | undefined;
  readonly 'no-agent-tls': boolean;
  readonly 'print-config': boolean;
}

/** Plain HTTP must be asked for: nothing that is missing or empty leads to it. */
function parseAgentAccess(
  flags: AccessFlags,
  env: Readonly<Record<string, string | undefined>>,
): AgentAccess {
  const { 'agent-tls-dir': dir, 'agent-tls-server-name': name } = flags;
  if (!flags['no-agent-tls']) {
    if (dir === '') throw usageError('--agent-tls-dir must name a folder; plain HTTP is --no-agent-tls');
    const serverName = name ?? tlsNames.agent;
    if (!/^[A-Za-z0-9.-]+$/.test(serverName))
      throw usageError('--agent-tls-server-name (or AGENT_TLS_SERVER_NAME) must be a DNS name');
    return { tls: { dir: path.resolve(dir ?? '/etc/haptic/agent-tls/..data'), serverName } };
  }
  if (dir !== undefined || name !== undefined)
    throw usageError('--no-agent-tls goes with neither --agent-tls-dir nor --agent-tls-server-name');
  const username = env['DATAPLANE_USERNAME'] ?? '';
  const password = env['DATAPLANE_PASSWORD'] ?? '';
  if (!flags['print-config'] && (username === '' || password === ''))
    throw usageError('DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set with --no-agent-tls');
  return { username, password };
}

function usageError(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}

function parseWatchTimeout(text: string): number {
  const seconds = parseDuration(text, '--watch-timeout') / 1000;
  if (Number.isInteger(seconds) && seconds >= 5 && seconds <= 3600) return seconds;
  throw usageError('--watch-timeout must be whole seconds from 5s to 1h');
}
