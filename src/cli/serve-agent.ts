import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { type Agent, createAgent } from '../agent/agent.ts';
import { createAgentMetrics } from '../agent/agent-metrics.ts';
import type { AgentOptions, DrainOptions } from '../agent/agent-options.ts';
import { buildAdminServer } from '../agent/build-admin-server.ts';
import { buildAgentServer } from '../agent/build-agent-server.ts';
import { buildMetricsServer } from '../agent/build-metrics-server.ts';
import { buildDrainServer } from '../agent/drain/build-drain-server.ts';
import { countConnections } from '../agent/drain/count-connections.ts';
import { createDrain } from '../agent/drain/create-drain.ts';
import { listenLocal } from '../agent/listen-local.ts';
import { putBootstrap } from '../agent/put-bootstrap.ts';
import { cliRequest } from '../agent/runtime/cli-request.ts';
import { followTlsFolder } from '../lib/tls/tls-folder.ts';
import type { AgentArguments } from './agent-arguments.ts';

export interface ServeDeps {
  readonly log: Logger;
  /** Called once, when start-up is through. */
  readonly dropGarbage: () => void;
  readonly signal: AbortSignal;
}

/** The agent with all its listeners, until the signal is aborted. Resolves to the exit code: 0 stopped as asked, 1 failed. */
export async function serveAgent(
  { options, listen, metricsListen }: AgentArguments,
  { log, dropGarbage, signal }: ServeDeps,
): Promise<number> {
  const { auth, adminSocket, drain } = options;
  const registry = new Registry();
  const meters = createAgentMetrics(registry, auth.kind === 'tls' ? followTlsFolder(auth.dir) : undefined);
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  await using opened = new AsyncDisposableStack();
  opened.defer(() => signal.removeEventListener('abort', end));
  try {
    await bootstrap(options, log);
    const agent = await createAgent(options, log, meters);
    const server = buildAgentServer({ agent, auth, log });
    const metrics = buildMetricsServer({ agent, registry, log });
    opened.defer(() => server.close());
    opened.defer(() => metrics.close());
    const [address, metricsAddress] = await Promise.all([
      server.listen(listen),
      metrics.listen(metricsListen),
    ]);
    if (adminSocket !== undefined)
      opened.defer(await listenLocal(buildAdminServer({ agent, log }), adminSocket));
    if (drain !== undefined)
      opened.defer(await listenLocal(drainServer(drain, options.workerSocket, agent, log), drain.socket));
    log.info(
      {
        // Fastify does not know of the TLS of a server that it was given.
        address: auth.kind === 'tls' ? address.replace(/^http:/, 'https:') : address,
        metrics: metricsAddress,
        version: options.agentVersion,
      },
      'agent listens',
    );
    dropGarbage();
    await agent.run(stop.signal);
    return 0;
  } catch (error) {
    log.fatal({ err: error }, 'agent failed');
    return 1;
  } finally {
    await opened.disposeAsync();
    log.info('agent stopped');
  }
}

/** Before anything listens: who waits for `/healthz` may start HAProxy. */
async function bootstrap(options: AgentOptions, log: Logger): Promise<void> {
  const { bootstrapFile } = options;
  if (bootstrapFile === undefined || !(await putBootstrap(bootstrapFile, options))) return;
  log.info({ file: options.configFile }, 'there was no configuration: HAProxy starts on that of --bootstrap');
}

const drainPollMs = 100;

function drainServer(
  options: DrainOptions,
  workerSocket: string,
  { announceSoftStop }: Pick<Agent, 'announceSoftStop'>,
  log: Logger,
) {
  const count = async () => {
    const table = await cliRequest(workerSocket, 'show stat -1 1 -1', { timeoutMs: 2_000 });
    return countConnections(table, options.ignoreFrontends);
  };
  const drain = createDrain({ ...options, count, pollMs: drainPollMs, now: () => performance.now() });
  return buildDrainServer({ drain, announceSoftStop, log });
}
