#!/usr/bin/env -S node --max-semi-space-size=8
import pino from 'pino';
import { agentCommands } from './cli/agent-command.ts';
import { parsePlain } from './cli/parse-plain.ts';
import { startCommand } from './cli/start-command.ts';

/**
 * argv → one command. Each command is loaded only when asked for, and what lives in every pod goes without the parser of the
 * others, so that the agent loads neither it nor Kubernetes code. Exit codes: 0 done, 1 failed, 2 usage. SIGTERM and SIGINT end a
 * command by its AbortSignal; a second one ends the process at once. What nobody handled is a bug: logged as fatal, exit 1.
 */
const die = (origin: string) => (error: unknown) => {
  pino(pino.destination({ dest: 2, sync: true })).fatal({ err: error, origin }, 'unhandled error');
  process.exit(1);
};

process.on('uncaughtException', die('uncaughtException'));
process.on('unhandledRejection', die('unhandledRejection'));
// Whoever reads the answer may have seen enough of it: `haptic tap … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  die('stdout')(error);
});

const shutdown = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.on(name, () => {
    if (shutdown.signal.aborted) process.exit(1);
    shutdown.abort(name);
  });
}

process.exit(await main(process.argv.slice(2)));

async function main(argv: readonly string[]): Promise<number> {
  const io = {
    env: process.env,
    signal: shutdown.signal,
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
  };
  // The longest name first: `agent state` is no `agent` with a word.
  for (const command of agentCommands.toReversed()) {
    const words = command.name.split(' ');
    if (!words.every((word, index) => argv[index] === word)) continue;
    const values = parsePlain(command, argv.slice(words.length), process.env);
    if (values !== undefined) return startCommand(command, { values, words: [] }, io);
  }
  const [{ cliCommands }, { runCommandLine }] = await Promise.all([
    import('./cli/cli-commands.ts'),
    import('./cli/run-command-line.ts'),
  ]);
  return runCommandLine(cliCommands, argv, io, async () => {
    // The agent has no streams, and it stands in every pod: it goes without their 5 MiB.
    (await import('./cli/report-unhandled.ts')).reportUnhandled(die('rxjs'));
  });
}
