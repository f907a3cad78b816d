import { stat } from 'node:fs/promises';
import { checkSample } from '../sandbox/check-sample.ts';
import { sandboxConfig } from '../sandbox/system-config.ts';
import { systemNamespace } from '../sandbox/system-objects.ts';
import { sampleHost } from '../sandbox/sample.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/start-sandbox.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { CliCall, CliValues } from './cli-command.ts';
import type { sandboxOptions } from './sandbox-command.ts';

export interface SandboxArguments {
  readonly options: Omit<SandboxOptions, 'env' | 'report'>;
  readonly once: boolean;
}

/**
 * `haptic sandbox`: runs until the signal is aborted, or with `--once` until its check is done. What it set up goes to
 * stdout, what happens afterwards to stderr. Exit codes: 0 stopped as asked, 1 failed.
 */
export async function runSandbox({
  values,
  words,
  env,
  signal,
  out,
  err,
}: CliCall<typeof sandboxOptions>): Promise<number> {
  const { options, once } = parseSandboxArguments(values, words);
  for (const folder of options.folders ?? []) await requireFolder(folder);
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await startSandbox({ ...options, env, report: (line) => err(`sandbox: ${line}\n`) });
    out(introduction(sandbox, options.sample !== false));
    if (once) return await checkOnce(sandbox, signal, out);
    await aborted(signal);
    return 0;
  } finally {
    await sandbox?.stop();
  }
}

/** Flags as options; throws CodedError that says what is wrong with which flag. */
export function parseSandboxArguments(
  values: CliValues<typeof sandboxOptions>,
  words: readonly string[],
): SandboxArguments {
  if (values.once && values['no-sample'])
    throw usage('--once checks the sample, so it cannot go with --no-sample');
  const httpPort = parsePort('--http-port', values['http-port']);
  const httpsPort = parsePort('--https-port', values['https-port']);
  const apiPort = parsePort('--api-port', values['api-port']);
  const controllers = parseControllers(values.controllers);
  return {
    once: values.once,
    options: {
      folders: [...words, ...values.dir],
      sample: !values['no-sample'],
      webhook: !values['no-webhook'],
      ...(httpPort === undefined ? {} : { httpPort }),
      ...(httpsPort === undefined ? {} : { httpsPort }),
      ...(apiPort === undefined ? {} : { apiPort }),
      ...(controllers === undefined ? {} : { controllers }),
      ...(values.haproxy === undefined ? {} : { haproxy: values.haproxy }),
    },
  };
}

function parsePort(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw usage(`${flag} must be a port from 1 to 65535, not "${text}"`);
  return port;
}

function parseControllers(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  throw usage(`--controllers must be a number from 1 to 9, not "${text}"`);
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_SANDBOX_USAGE', message);
}

async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) throw usage(`${path} is no folder`);
}

function introduction(sandbox: Sandbox, hasSample: boolean): string {
  const { httpUrl, haproxy } = sandbox;
  const port = new URL(httpUrl).port;
  return `
HAProxy      ${httpUrl}   ${sandbox.httpsUrl}   (${haproxy.version}, ${haproxy.path})
Kubernetes   ${sandbox.api.url}
${sandbox.controllers.map(({ url }) => `Taps         ${url}/debug/taps\n`).join('')}Logs         ${sandbox.logFolder}

  export KUBECONFIG=${sandbox.kubeconfigPath} HAPTIC_URL=${httpUrl} HAPTIC_DEBUG=${sandbox.controllerUrl}/debug
  export POD_NAMESPACE=${systemNamespace} CRD_NAME=${sandboxConfig.name} HAPTIC_CONTROLLER_TLS_DIR=${sandbox.agentTlsDir}
  kubectl get pods,ingress --all-namespaces
${
  hasSample
    ? `  curl http://${sampleHost}:${port}/
  kubectl scale deployment/echo --replicas=5
`
    : ''
}
`;
}

async function checkOnce(
  sandbox: Sandbox,
  signal: AbortSignal,
  out: (text: string) => void,
): Promise<number> {
  let ok = !signal.aborted;
  for await (const check of checkSample(sandbox, signal)) {
    out(`${check.ok ? 'ok    ' : 'FAILED'} ${check.name}: ${check.detail}\n`);
    ok = ok && check.ok;
  }
  return ok ? 0 : 1;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
