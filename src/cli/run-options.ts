import type { AgentAccess } from '../fleet/agent-pool.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import type { WebhookOptions } from '../webhook/webhook-options.ts';
import { parseAgentAccess } from './agent-access.ts';
import type { CliValues } from './cli-command.ts';
import { type ListenAddress, parseListen } from './parse-listen.ts';
import { parseLogLevel } from './parse-log-level.ts';
import { parseWebhookFlags } from './parse-webhook-flags.ts';
import type { runOptions } from './run-command.ts';

export interface RunOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly haproxy: string;
  readonly libraries: string;
  readonly values: readonly string[];
  /** HAProxyTemplateConfig to follow; absent: the configuration is that of the files. */
  readonly configObject?: { readonly namespace: string; readonly name: string };
  /** Of the Lease; absent: the configuration names it. */
  readonly leaseName?: string;
  /** Absent: the host's name. */
  readonly identity?: string;
  /** Whole seconds. */
  readonly watchTimeoutSeconds: number;
  readonly healthListen: ListenAddress;
  readonly metricsListen: ListenAddress;
  /** Absent: no admission webhook. */
  readonly webhook?: WebhookOptions;
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
  const { kubeconfig, namespace, identity, 'lease-name': leaseName } = values;
  const configObject = parseConfigObject(values, namespace);
  const webhook = parseWebhookFlags(values, namespace);
  return {
    ...(kubeconfig === undefined || kubeconfig === '' ? {} : { kubeconfig }),
    ...(values.context === undefined ? {} : { context: values.context }),
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    haproxy: values.haproxy,
    libraries: values.libraries ?? defaultLibraries,
    values: values.values,
    ...(configObject === undefined ? {} : { configObject }),
    ...(leaseName === undefined || leaseName === '' ? {} : { leaseName }),
    ...(identity === undefined || identity === '' ? {} : { identity }),
    watchTimeoutSeconds: parseWatchTimeout(values['watch-timeout']),
    healthListen: parseListen(values['health-listen'], '--health-listen'),
    metricsListen: parseListen(values['metrics-listen'], '--metrics-listen'),
    ...(webhook === undefined ? {} : { webhook }),
    printConfig: values['print-config'],
    agentAccess: parseAgentAccess(values, env, {
      // A configuration that is an object may name a Secret with them.
      needsCredentials: !values['print-config'] && configObject === undefined,
    }),
    logLevel: parseLogLevel(values['log-level']),
  };
}

function parseConfigObject(
  { 'crd-name': name, values }: CliValues<typeof runOptions>,
  namespace: string | undefined,
): RunOptions['configObject'] {
  if (name === undefined || name === '') return undefined;
  if (namespace === undefined || namespace === '')
    throw usageError('--crd-name (or CRD_NAME) needs --namespace (or POD_NAMESPACE): that of the object');
  if (values.length > 0)
    throw usageError('--crd-name (or CRD_NAME) goes without --values: the object is the configuration');
  return { namespace, name };
}

function usageError(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}

function parseWatchTimeout(text: string): number {
  const seconds = parseDuration(text, '--watch-timeout') / 1000;
  if (Number.isInteger(seconds) && seconds >= 5 && seconds <= 3600) return seconds;
  throw usageError('--watch-timeout must be whole seconds from 5s to 1h');
}
