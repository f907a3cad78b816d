import pino, { type Logger } from 'pino';
import { createAgent } from '../agent/agent.ts';
import { buildAgentServer } from '../agent/build-agent-server.ts';
import { type AgentArguments, agentUsage, parseAgentArguments } from './agent-arguments.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `haptic agent`: serves until the signal is aborted, then finishes the apply in flight. Exit codes: 0 stopped as asked, 1 failed,
 * 2 usage. The log goes to stdout as JSON lines.
 */
export async function runAgentCommand(
  argv: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  let parsed: AgentArguments | 'help';
  try {
    parsed = parseAgentArguments(argv, env);
  } catch (error) {
    process.stderr.write(`haptic agent: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  if (parsed === 'help') {
    process.stdout.write(agentUsage);
    return 0;
  }
  const log = pino({ level: parsed.logLevel, base: { component: 'agent' } });
  return serve(parsed, log, signal);
}

async function serve({ options, listen }: AgentArguments, log: Logger, signal: AbortSignal): Promise<number> {
  const agent = await createAgent(options, log);
  const server = buildAgentServer({ agent, auth: options.auth, log });
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const address = await server.listen(listen);
    log.info({ address, version: options.agentVersion }, 'agent listens');
    await agent.run(stop.signal);
    return 0;
  } catch (error) {
    log.fatal({ err: error }, 'agent failed');
    return 1;
  } finally {
    signal.removeEventListener('abort', end);
    await server.close();
    log.info('agent stopped');
  }
}
