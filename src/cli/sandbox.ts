import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { checkSample } from '../sandbox/check-sample.ts';
import { sampleHost } from '../sandbox/sample.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/start-sandbox.ts';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const sandboxUsage = `usage: haptic sandbox [DIR...] [options]

HAPTIC on this machine, without a cluster: a Kubernetes API for kubectl, a real HAProxy with its agent, the controller,
and a sample. The manifests in each DIR are applied, and their edits followed. Ends with Ctrl-C and leaves nothing.

  --dir DIR          the same as a DIR; may be given several times
  --http-port PORT   where HAProxy serves HTTP on 127.0.0.1 (a free port)
  --api-port PORT    where the Kubernetes API listens on 127.0.0.1 (a free port)
  --haproxy PATH     the HAProxy to run (the newest found)
  --no-sample        without the sample Deployment, Service and Ingress
  --once             checks the sample, scales it, tells what was found and ends: exit code 0 or 1
  --help             this text
`;

export interface SandboxArguments {
  readonly options: Omit<SandboxOptions, 'env' | 'report'>;
  readonly once: boolean;
}

/**
 * `haptic sandbox`: runs until the signal is aborted, or with `--once` until its check is done. What it set up goes to
 * stdout, what happens afterwards to stderr. Exit codes: 0 stopped as asked, 1 failed, 2 usage.
 */
export async function runSandboxCommand(
  argv: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  let parsed: SandboxArguments | 'help';
  try {
    parsed = parseSandboxArguments(argv);
    if (parsed !== 'help') for (const folder of parsed.options.folders ?? []) await requireFolder(folder);
  } catch (error) {
    process.stderr.write(`haptic sandbox: ${errorMessage(error)}\n`);
    return 2;
  }
  if (parsed === 'help') {
    process.stdout.write(sandboxUsage);
    return 0;
  }
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await startSandbox({
      ...parsed.options,
      env,
      report: (line) => process.stderr.write(`sandbox: ${line}\n`),
    });
    process.stdout.write(introduction(sandbox, parsed.options.sample !== false));
    if (parsed.once) return await checkOnce(sandbox, signal);
    await aborted(signal);
    return 0;
  } catch (error) {
    process.stderr.write(`haptic sandbox: ${errorMessage(error)}\n`);
    return 1;
  } finally {
    await sandbox?.stop();
  }
}

/** Flags as options; throws CodedError or TypeError that says what is wrong with which flag. */
export function parseSandboxArguments(argv: readonly string[]): SandboxArguments | 'help' {
  const { values, positionals } = parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: true,
    options: {
      dir: { type: 'string', multiple: true, default: [] },
      'http-port': { type: 'string' },
      'api-port': { type: 'string' },
      haproxy: { type: 'string' },
      'no-sample': { type: 'boolean', default: false },
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.once && values['no-sample'])
    throw usage('--once checks the sample, so it cannot go with --no-sample');
  const httpPort = parsePort('--http-port', values['http-port']);
  const apiPort = parsePort('--api-port', values['api-port']);
  return {
    once: values.once,
    options: {
      folders: [...positionals, ...values.dir],
      sample: !values['no-sample'],
      ...(httpPort === undefined ? {} : { httpPort }),
      ...(apiPort === undefined ? {} : { apiPort }),
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
HAProxy      ${httpUrl}   (${haproxy.version}, ${haproxy.path})
Kubernetes   ${sandbox.api.url}
Taps         ${sandbox.controllerUrl}/debug/taps
Logs         ${sandbox.logFolder}

  export KUBECONFIG=${sandbox.kubeconfigPath} HAPTIC_URL=${httpUrl} HAPTIC_DEBUG=${sandbox.controllerUrl}/debug
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

async function checkOnce(sandbox: Sandbox, signal: AbortSignal): Promise<number> {
  let ok = !signal.aborted;
  for await (const check of checkSample(sandbox, signal)) {
    process.stdout.write(`${check.ok ? 'ok    ' : 'FAILED'} ${check.name}: ${check.detail}\n`);
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
