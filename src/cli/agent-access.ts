import path from 'node:path';
import type { AgentAccess } from '../fleet/agent-pool.ts';
import { CodedError } from '../lib/coded-error.ts';
import { tlsNames } from '../protocol/tls-names.ts';
import type { agentAccessOptions } from './agent-access-options.ts';
import type { CliValues } from './cli-command.ts';

/**
 * Plain HTTP must be asked for: nothing that is missing or empty leads to it.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming the flag or variable
 */
export function parseAgentAccess(
  flags: CliValues<typeof agentAccessOptions>,
  env: Readonly<Record<string, string | undefined>>,
  { needsCredentials }: { readonly needsCredentials: boolean },
): AgentAccess {
  const { 'agent-tls-dir': dir, 'agent-tls-server-name': name } = flags;
  if (!flags['no-agent-tls']) {
    if (dir === '') throw usageError('--agent-tls-dir must name a folder; plain HTTP is --no-agent-tls');
    const serverName = name ?? (env['AGENT_TLS_SERVER_NAME'] || tlsNames.agent);
    if (!/^[A-Za-z0-9.-]+$/.test(serverName))
      throw usageError('--agent-tls-server-name (or AGENT_TLS_SERVER_NAME) must be a DNS name');
    return { tls: { dir: path.resolve(agentTlsDir(dir, env)), serverName } };
  }
  if (dir !== undefined || name !== undefined)
    throw usageError('--no-agent-tls goes with neither --agent-tls-dir nor --agent-tls-server-name');
  const username = env['DATAPLANE_USERNAME'] ?? '';
  const password = env['DATAPLANE_PASSWORD'] ?? '';
  if (needsCredentials && (username === '' || password === ''))
    throw usageError('DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set with --no-agent-tls');
  return { username, password };
}

/** The folder of the controller's certificate, by flag, environment, or where the chart mounts it. */
export function agentTlsDir(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return flag ?? (env['HAPTIC_CONTROLLER_TLS_DIR'] || '/etc/haptic/agent-tls/..data');
}

function usageError(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}
