import { parseArgs } from 'node:util';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
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
  --print-config           print the effective configuration as YAML and exit

environment: DATAPLANE_USERNAME and DATAPLANE_PASSWORD (credentials of the agents), LOG_LEVEL
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
  readonly credentials: { readonly username: string; readonly password: string };
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
      'print-config': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const kubeconfig = values.kubeconfig ?? env['KUBECONFIG'];
  const namespace = values.namespace ?? env['POD_NAMESPACE'];
  const username = env['DATAPLANE_USERNAME'] ?? '';
  const password = env['DATAPLANE_PASSWORD'] ?? '';
  if (!values['print-config'] && (username === '' || password === ''))
    throw usageError('DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set');
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
    credentials: { username, password },
    logLevel,
  };
}

function usageError(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}

function parseWatchTimeout(text: string): number {
  const seconds = parseDuration(text, '--watch-timeout') / 1000;
  if (Number.isInteger(seconds) && seconds >= 5 && seconds <= 3600) return seconds;
  throw usageError('--watch-timeout must be whole seconds from 5s to 1h');
}
