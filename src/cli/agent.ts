import path from 'node:path';
import { parseArgs } from 'node:util';
import pino, { type Logger } from 'pino';
import { createAgent } from '../agent/agent.ts';
import type { AgentOptions } from '../agent/agent-options.ts';
import { buildAgentServer } from '../agent/build-agent-server.ts';
import { CodedError } from '../lib/coded-error.ts';
import { limits } from '../protocol/limits.ts';
import { type ListenAddress, parseListen } from './parse-listen.ts';
import { version } from './version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const agentUsage = `haptic agent: the sidecar that owns a HAProxy pod's files and sockets

  --base-dir DIR          folder of HAProxy's files (/etc/haproxy)
  --config FILE           HAProxy's configuration (haproxy.cfg)
  --master-socket FILE    the master's CLI socket (haproxy-master.sock)
  --worker-socket FILE    the worker's CLI socket (haproxy-worker.sock)
  --state-file FILE       the agent's own record (.haptic-agent.json)
  --listen [HOST]:PORT    HTTP (:5555)
  --reload-timeout TIME   longest wait for a reload, 1s to 60s (60s)
  --help

Paths are relative to the base dir unless absolute. Environment: DATAPLANE_USERNAME and DATAPLANE_PASSWORD (required),
LOG_LEVEL (info).
`;

/**
 * `haptic agent`: serves until the signal is aborted, then finishes the apply in flight. Exit codes: 0 stopped as asked, 1 failed,
 * 2 usage. The log goes to stdout as JSON lines.
 */
export async function runAgentCommand(
  argv: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  let parsed: ParsedArguments | 'help';
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
  const log = pino({ level: env['LOG_LEVEL'] ?? 'info', base: { component: 'agent' } });
  return serve(parsed, log, signal);
}

export interface ParsedArguments {
  readonly options: AgentOptions;
  readonly listen: ListenAddress;
}

/** Flags and environment as options; throws CodedError or TypeError that says what is wrong with which flag. */
export function parseAgentArguments(argv: readonly string[], env: Environment): ParsedArguments | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    options: {
      'base-dir': { type: 'string', default: '/etc/haproxy' },
      config: { type: 'string', default: 'haproxy.cfg' },
      'master-socket': { type: 'string', default: 'haproxy-master.sock' },
      'worker-socket': { type: 'string', default: 'haproxy-worker.sock' },
      'state-file': { type: 'string', default: '.haptic-agent.json' },
      listen: { type: 'string', default: ':5555' },
      'reload-timeout': { type: 'string', default: '60s' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const username = env['DATAPLANE_USERNAME'] ?? '';
  const password = env['DATAPLANE_PASSWORD'] ?? '';
  if (username === '' || password === '')
    throw usage('DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set');
  const baseDir = path.resolve(values['base-dir']);
  const files = {
    '--config': path.resolve(baseDir, values.config),
    '--master-socket': path.resolve(baseDir, values['master-socket']),
    '--worker-socket': path.resolve(baseDir, values['worker-socket']),
    '--state-file': path.resolve(baseDir, values['state-file']),
  };
  refuseSamePath(files);
  const configFile = path.relative(baseDir, files['--config']);
  if (configFile.startsWith('..')) throw usage('--config must lie below --base-dir');
  return {
    options: {
      baseDir,
      configFile,
      masterSocket: files['--master-socket'],
      workerSocket: files['--worker-socket'],
      stateFile: files['--state-file'],
      reloadTimeoutMs: parseReloadTimeout(values['reload-timeout']),
      credentials: { username, password },
      agentVersion: version,
    },
    listen: parseListen(values.listen, '--listen'),
  };
}

function refuseSamePath(files: Readonly<Record<string, string>>): void {
  const seen = new Map<string, string>();
  for (const [flag, file] of Object.entries(files)) {
    const other = seen.get(file);
    if (other !== undefined) throw usage(`${other} and ${flag} are the same path: ${file}`);
    seen.set(file, flag);
  }
}

function parseReloadTimeout(text: string): number {
  const match = /^(\d+)(ms|s)$/.exec(text);
  const ms = Number(match?.[1]) * (match?.[2] === 's' ? 1000 : 1);
  if (!(ms >= 1 && ms <= limits.reloadMs))
    throw usage('--reload-timeout must be between 1ms and 60s, e.g. 30s');
  return ms;
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_AGENT_USAGE', message);
}

async function serve(
  { options, listen }: ParsedArguments,
  log: Logger,
  signal: AbortSignal,
): Promise<number> {
  const agent = await createAgent(options, log);
  const server = buildAgentServer({ agent, credentials: options.credentials, log });
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
