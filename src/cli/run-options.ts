import path from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentAccess } from '../fleet/agent-pool.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { tlsNames } from '../protocol/tls-names.ts';
import { type ListenAddress, parseListen } from './parse-listen.ts';

export const runUsage = `usage: haptic run [options]

The controller: watches Kubernetes, renders, and brings every HAProxy pod to the newest configuration.

  --kubeconfig FILE        credentials (default: the pod's service account, else ~/.kube/config)
  --context NAME           context of the kubeconfig
  --namespace NS           namespace of the HAProxy pods (default: POD_NAMESPACE, else all)
  --haproxy PATH           HAProxy binary that checks configurations (default: haproxy on PATH)
  --libraries DIR          template libraries, merged in name order of its *.yaml
  --values FILE            configuration merged last; may be repeated
  --watch-timeout DURATION how long one watch request may last (default 290s); a connection that died unnoticed is given
                           up 5 s after that
  --health-listen ADDR     probes and /debug (default :8080); /debug answers on loopback only
  --metrics-listen ADDR    Prometheus metrics (default :9090)
  --agent-tls-dir DIR      tls.crt, tls.key and ca.crt for the agents, read again when they change
                           (default /etc/haptic/agent-tls/..data)
  --agent-tls-server-name NAME
                           DNS name in the agents' certificate (default: AGENT_TLS_SERVER_NAME, else
                           ${tlsNames.agent})
  --no-agent-tls           plain HTTP to the agents, and Basic credentials instead of certificates
  --print-config           print the effective configuration as YAML and exit

environment: LOG_LEVEL; with --no-agent-tls, DATAPLANE_USERNAME and DATAPLANE_PASSWORD
`;

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

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Flags and environment of `haptic run`.
 *
 * @param defaultLibraries folder of the libraries that this program ships with
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE`, or parseArgs' TypeError, naming the flag
 */
export function parseRunOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  defaultLibraries: string,
): RunOptions | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    options: {
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      namespace: { type: 'string' },
      haproxy: { type: 'string', default: 'haproxy' },
      libraries: { type: 'string', default: defaultLibraries },
      values: { type: 'string', multiple: true, default: [] },
      'watch-timeout': { type: 'string', default: '290s' },
      'health-listen': { type: 'string', default: ':8080' },
      'metrics-listen': { type: 'string', default: ':9090' },
      'agent-tls-dir': { type: 'string' },
      'agent-tls-server-name': { type: 'string' },
      'no-agent-tls': { type: 'boolean', default: false },
      'print-config': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const kubeconfig = values.kubeconfig ?? env['KUBECONFIG'];
  const namespace = values.namespace ?? env['POD_NAMESPACE'];
  const logLevel = (env['LOG_LEVEL'] ?? 'info').toLowerCase();
  if (!levels.includes(logLevel)) throw usageError(`LOG_LEVEL must be one of ${levels.join(', ')}`);
  return {
    ...(kubeconfig === undefined || kubeconfig === '' ? {} : { kubeconfig }),
    ...(values.context === undefined ? {} : { context: values.context }),
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    haproxy: values.haproxy,
    libraries: values.libraries,
    values: values.values,
    watchTimeoutSeconds: parseWatchTimeout(values['watch-timeout']),
    healthListen: parseListen(values['health-listen'], '--health-listen'),
    metricsListen: parseListen(values['metrics-listen'], '--metrics-listen'),
    printConfig: values['print-config'],
    agentAccess: parseAgentAccess(values, env),
    logLevel,
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
    const serverName = name ?? (env['AGENT_TLS_SERVER_NAME'] || tlsNames.agent);
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
