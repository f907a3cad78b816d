import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import pino, { type Logger } from 'pino';
import { createAgentClient } from '../fleet/agent-client.ts';
import { CodedError } from '../lib/coded-error.ts';
import { loadKubeConfig } from '../kube/kube-config.ts';
import { kubeTransport } from '../kube/kube-transport.ts';
import { capabilitiesOf } from '../plan/capabilities.ts';
import { buildMetricsServer } from '../server/build-metrics-server.ts';
import { buildServer } from '../server/build-server.ts';
import { createAgentLogin } from './agent-login.ts';
import { agentCredentialsPart } from './controller/agent-credentials-part.ts';
import { controllerParts } from './controller/controller-parts.ts';
import { gatesByValidators } from './controller/gates-by-validators.ts';
import { liveConfig } from './controller/live-config.ts';
import type { CliCall } from './cli-command.ts';
import { growHeapSlowly } from './grow-heap-slowly.ts';
import { librariesPath } from './libraries-path.ts';
import { readConfig } from './read-config.ts';
import type { runOptions } from './run-command.ts';
import { type RunOptions, parseRunOptions } from './run-options.ts';
import { shippedTemplates } from '../config/shipped-templates.ts';
import { shippedLibraries } from './shipped-libraries.ts';
import { startController } from './start-controller.ts';
import { webhookPart } from '../webhook/webhook-part.ts';
import { version } from '../lib/version.ts';
import { toYaml } from '../lib/to-yaml.ts';

/** `haptic run`: the controller, until the signal aborts. Resolves to the exit code: 0 stopped as asked, 1 failed. */
export async function runController({
  values,
  env,
  signal,
  out,
}: CliCall<typeof runOptions>): Promise<number> {
  const options = parseRunOptions(values, env, librariesPath(import.meta.url));
  if (options.printConfig) {
    out(toYaml(await readConfig(options.libraries, options.values)));
    return 0;
  }
  growHeapSlowly();
  const log = pino({ level: options.logLevel, base: null });
  try {
    return await serve(options, log, signal);
  } catch (error) {
    log.fatal(
      error instanceof CodedError ? { code: error.code, reason: error.message } : { err: error },
      'controller failed',
    );
    return 1;
  }
}

async function serve(options: RunOptions, root: Logger, signal: AbortSignal): Promise<number> {
  const log = root.child({ component: 'controller' });
  const haproxyVersion = await versionOf(options.haproxy);
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: haproxyVersion }, []);
  const kubeconfig = loadKubeConfig({
    ...(options.kubeconfig === undefined ? {} : { kubeconfigPath: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  const transport = kubeTransport(kubeconfig, {
    onBackgroundError: (error) => log.warn({ err: error }, 'connection pool failed to close'),
  });
  const shipped = await shippedLibraries(options.libraries);
  const config =
    options.configObject === undefined
      ? await readConfig(options.libraries, options.values)
      : liveConfig({
          ...options.configObject,
          shipped,
          transport,
          haproxy: { path: options.haproxy, version: haproxyVersion },
          ...(process.env['PATH'] === undefined ? {} : { path: process.env['PATH'] }),
        });
  const stopped = Promise.withResolvers<number>();
  const end = (): void => stopped.resolve(0);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();

  const login = 'tls' in options.agentAccess ? undefined : createAgentLogin(options.agentAccess);
  const controller = startController({
    config,
    transport,
    election: {
      namespace: options.namespace ?? kubeconfig.namespace ?? 'default',
      identity: `${options.identity ?? hostname()}_${randomBytes(6).toString('hex')}`,
      ...(options.leaseName === undefined ? {} : { leaseName: options.leaseName }),
    },
    // What an apply may last is `dataplane.syncTimeout`, for which delivery itself looks.
    client: createAgentClient(login?.access ?? options.agentAccess),
    check: gatesByValidators({
      haproxy: options.haproxy,
      atEnd: (clean) => process.once('exit', clean),
      ...pathOnly(),
    }),
    shippedTemplates: shippedTemplates(shipped),
    capabilities,
    watchTimeoutSeconds: options.watchTimeoutSeconds,
    parts: [
      ...controllerParts,
      ...(login === undefined ? [] : [agentCredentialsPart(login)]),
      ...(options.webhook === undefined
        ? []
        : [webhookPart(options.webhook, { haproxy: options.haproxy, version, ...pathOnly() })]),
    ],
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    log,
    onFatal: (error) => {
      log.fatal({ err: error }, 'a stream of the pipeline failed');
      stopped.resolve(1);
    },
  });
  const serverLog = root.child({ component: 'http' });
  const servers = [
    {
      server: buildServer({ logger: serverLog, health: controller.health, debug: controller.debug }),
      listen: options.healthListen,
    },
    {
      server: buildMetricsServer({ logger: serverLog, registry: controller.registry }),
      listen: options.metricsListen,
    },
  ];
  try {
    const addresses = await Promise.all(
      servers.map(async ({ server, listen }) => server.listen({ ...listen })),
    );
    controller.stages.mark('debug');
    log.info({ version, haproxyVersion, health: addresses[0], metrics: addresses[1] }, 'controller started');
    return await stopped.promise;
  } finally {
    signal.removeEventListener('abort', end);
    // The Lease is not held for longer than it takes: the servers' connections end meanwhile.
    await Promise.all([...servers.map(async ({ server }) => server.close()), controller.stop()]);
    await transport.close();
    log.info('controller stopped');
  }
}

/** The whole environment of a check: a configuration can read it. */
function pathOnly(): { readonly env?: { readonly PATH: string } } {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { env: { PATH } };
}

/** `3.4.7-1` of a HAProxy binary. */
async function versionOf(haproxy: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(haproxy, ['-v'], { timeout: 10_000 });
    return /version (\S+)/.exec(stdout)?.[1] ?? '';
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError('HAPTIC_ERR_CLI_HAPROXY', `--haproxy ${haproxy} does not run: ${words}`, { cause });
  }
}
