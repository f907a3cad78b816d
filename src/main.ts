#!/usr/bin/env -S node --max-semi-space-size=8
import pino from 'pino';
import { type CommandName, parseCommand, usage } from './cli/parse-command.ts';
import { version } from './cli/version.ts';

/**
 * argv → one command. Each command is loaded only when asked for, so that the agent loads no Kubernetes code.
 * Exit codes: 0 done, 1 failed, 2 usage. SIGTERM and SIGINT end a command by its AbortSignal; a second one ends the
 * process at once. What nobody handled is a bug: logged as fatal, exit 1.
 */
type Command = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
) => Promise<number>;

const die = (origin: string) => (error: unknown) => {
  pino(pino.destination({ dest: 2, sync: true })).fatal({ err: error, origin }, 'unhandled error');
  process.exit(1);
};

process.on('uncaughtException', die('uncaughtException'));
process.on('unhandledRejection', die('unhandledRejection'));

const shutdown = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.on(name, () => {
    if (shutdown.signal.aborted) process.exit(1);
    shutdown.abort(name);
  });
}

const parsed = parseCommand(process.argv.slice(2));
switch (parsed.kind) {
  case 'help':
    process.stdout.write(usage);
    break;
  case 'version':
    process.stdout.write(`haptic ${version}\n`);
    break;
  case 'unknown':
    process.stderr.write(`unknown command: ${parsed.name}\n${usage}`);
    process.exitCode = 2;
    break;
  case 'command': {
    const command = await load(parsed.name);
    process.exit(await command(parsed.argv, process.env, shutdown.signal));
  }
}

async function load(name: CommandName): Promise<Command> {
  // The agent has no streams, and it stands in every pod: it goes without their 5 MiB.
  if (name === 'run' || name === 'sandbox')
    (await import('./cli/report-unhandled.ts')).reportUnhandled(die('rxjs'));
  switch (name) {
    case 'run':
      return (await import('./cli/run.ts')).runControllerCommand;
    case 'agent':
      return (await import('./cli/agent.ts')).runAgentCommand;
    case 'certificates':
      return (await import('./cli/certificates.ts')).runCertificatesCommand;
    case 'sandbox':
      return (await import('./cli/sandbox.ts')).runSandboxCommand;
  }
}
