import pino from 'pino';
import { errorMessage } from '../lib/error-message.ts';
import { agentUsage, parseAgentArguments } from './agent-arguments.ts';
import { keepHeapSmall } from './keep-heap-small.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `haptic agent`: serves until the signal is aborted, then finishes the apply in flight. Exit codes: 0 stopped as asked, 1 failed,
 * 2 usage. The log goes to stdout as JSON lines. `haptic agent state|health|drain` ask a running agent.
 */
export async function runAgentCommand(
  argv: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  const [word, ...rest] = argv;
  // What asks an agent is run by probes and hooks: it loads nothing of the agent itself.
  if (word === 'state' || word === 'health' || word === 'drain')
    return (await import('./ask-agent.ts')).askAgentCommand(word, rest, signal);
  let parsed: ReturnType<typeof parseAgentArguments>;
  try {
    parsed = parseAgentArguments(argv, env);
  } catch (error) {
    process.stderr.write(`haptic agent: ${errorMessage(error)}\n`);
    return 2;
  }
  if (parsed === 'help') {
    process.stdout.write(agentUsage);
    return 0;
  }
  const dropGarbage = keepHeapSmall();
  const log = pino({ level: parsed.logLevel, base: { component: 'agent' } });
  return (await import('./serve-agent.ts')).serveAgent(parsed, { log, dropGarbage, signal });
}
