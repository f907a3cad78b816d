import pino from 'pino';
import type { agentOptions } from './agent-command.ts';
import { parseAgentArguments } from './agent-arguments.ts';
import type { CliCall } from './cli-command.ts';
import { keepHeapSmall } from './keep-heap-small.ts';

/**
 * `haptic agent`: serves until the signal is aborted, then finishes the apply in flight. Exit codes: 0 stopped as asked, 1 failed. The
 * log goes to stdout as JSON lines.
 */
export async function runAgent({ values, env, signal }: CliCall<typeof agentOptions>): Promise<number> {
  const parsed = parseAgentArguments(values, env);
  const dropGarbage = keepHeapSmall();
  const log = pino({ level: parsed.logLevel, base: { component: 'agent' } });
  return (await import('./serve-agent.ts')).serveAgent(parsed, { log, dropGarbage, signal });
}
