import { tlsNames } from '../protocol/tls-names.ts';

/** How a command shows agents that it may ask them. */
export const agentAccessOptions = {
  'agent-tls-dir': {
    value: 'DIR',
    summary: 'tls.crt, tls.key and ca.crt for the agents, read again when they change',
    otherwise: 'HAPTIC_CONTROLLER_TLS_DIR, else /etc/haptic/agent-tls/..data',
  },
  'agent-tls-server-name': {
    value: 'NAME',
    summary: "DNS name in the agents' certificate",
    otherwise: `AGENT_TLS_SERVER_NAME, else ${tlsNames.agent}`,
  },
  'no-agent-tls': { summary: 'plain HTTP to the agents, and Basic credentials instead of certificates' },
} as const;

export const agentAccessEnvironment = {
  'DATAPLANE_USERNAME, DATAPLANE_PASSWORD': 'credentials of the agents, with --no-agent-tls',
} as const;
