import { tlsNames } from '../protocol/tls-names.ts';
import { type CliOptions, defineCommand } from './cli-command.ts';
import { logLevelOption } from './log-level-option.ts';
import { outputOption } from './output-option.ts';

const baseDir = { value: 'DIR', summary: "folder of HAProxy's files", default: '/etc/haproxy' } as const;
const adminSocket = {
  value: 'FILE',
  summary: "the agent's, relative to the base dir unless absolute",
  default: 'haptic-agent-admin.sock',
} as const;

export const agentOptions = {
  'base-dir': baseDir,
  config: { value: 'FILE', summary: "HAProxy's configuration", default: 'haproxy.cfg' },
  bootstrap: {
    value: 'FILE',
    summary:
      'copied to --config before anything else where there is none, for a HAProxy that starts after the agent',
  },
  'master-socket': { value: 'FILE', summary: "the master's CLI socket", default: 'haproxy-master.sock' },
  'worker-socket': { value: 'FILE', summary: "the worker's CLI socket", default: 'haproxy-worker.sock' },
  'state-file': { value: 'FILE', summary: "the agent's own record", default: '.haptic-agent.json' },
  listen: { value: 'ADDR', summary: "the controller's interface, [HOST]:PORT", default: ':5555' },
  'tls-dir': {
    value: 'DIR',
    summary: 'tls.crt, tls.key and ca.crt, read again when they change',
    otherwise: '/etc/haptic/agent-tls/..data',
  },
  'tls-client-name': {
    value: 'NAME',
    summary: "DNS name in the controller's certificate",
    otherwise: tlsNames.controller,
  },
  'no-tls': { summary: 'plain HTTP, and Basic credentials instead of certificates' },
  'metrics-listen': { value: 'ADDR', summary: 'Prometheus metrics, and probes', default: ':5557' },
  'admin-socket': {
    value: 'FILE',
    summary: 'answers `haptic agent state` and `health`; "" for none',
    default: 'haptic-agent-admin.sock',
  },
  'drain-socket': {
    value: 'FILE',
    summary: 'answers `haptic agent drain`; "" for none',
    default: 'haptic-agent-drain.sock',
  },
  'drain-min-wait': { value: 'TIME', summary: 'shortest wait of a drain, up to 5m', default: '0s' },
  'drain-quiet-period': {
    value: 'TIME',
    summary: 'drained after so long without a new connection, up to 5m',
    default: '2s',
  },
  'drain-max-wait': { value: 'TIME', summary: 'longest wait for that, up to 5m', default: '10s' },
  'drain-ignore-frontends': {
    value: 'NAMES',
    summary: 'frontends, divided by commas, whose connections are no traffic',
    repeat: true,
  },
  'drain-timeout': {
    value: 'TIME',
    summary: 'how long sessions may use a removed server, up to 24h',
    default: '60s',
  },
  'reload-timeout': { value: 'TIME', summary: 'longest wait for a reload, up to 60s', default: '60s' },
  'reload-interval-min': {
    value: 'TIME',
    summary: 'shortest time between two reloads, up to 60s; 0 for none',
    default: '5s',
  },
  'log-level': logLevelOption,
} as const satisfies CliOptions;

export const agentCommand = defineCommand({
  name: 'agent',
  summary: "the sidecar that owns a HAProxy pod's files and sockets",
  description:
    'Takes files and runtime commands from the controller, and reloads when it must. Paths are relative to the base dir unless absolute. ' +
    'Times are written like 500ms, 2s or 1m30s.',
  options: agentOptions,
  environment: { 'DATAPLANE_USERNAME, DATAPLANE_PASSWORD': "the controller's credentials, with --no-tls" },
  examples: [
    { what: 'Beside a HAProxy in the same pod', line: 'haptic agent --tls-dir /etc/haptic/agent-tls/..data' },
    {
      what: 'On another base dir, without certificates (credentials in DATAPLANE_USERNAME and DATAPLANE_PASSWORD)',
      line: 'haptic agent --base-dir /srv/haproxy --listen 127.0.0.1:5555 --no-tls',
    },
  ],
  load: async () => (await import('./agent.ts')).runAgent,
});

export const agentStateOptions = {
  verify: { summary: "compare the files on disk with the agent's record first" },
  files: { summary: 'list the files' },
  output: outputOption,
  url: { value: 'URL', summary: 'an agent elsewhere, https://HOST:5555, asked as the controller asks it' },
  'tls-dir': {
    value: 'DIR',
    summary: "the controller's certificate, for --url",
    default: '/etc/haptic/agent-tls/..data',
  },
  'server-name': {
    value: 'NAME',
    summary: "DNS name in the agent's certificate, for --url",
    default: tlsNames.agent,
  },
  'base-dir': baseDir,
  'admin-socket': adminSocket,
} as const satisfies CliOptions;

const agentStateCommand = defineCommand({
  name: 'agent state',
  summary: 'what a pod holds and runs',
  description: 'Reads only.',
  options: agentStateOptions,
  examples: [
    { what: 'In a HAProxy pod', line: 'haptic agent state --files' },
    { what: 'From elsewhere, for a program', line: 'haptic agent state --url https://10.0.0.7:5555 -o json' },
  ],
  load: async () => (await import('./ask-agent.ts')).askState,
});

export const agentHealthOptions = {
  'base-dir': baseDir,
  'admin-socket': adminSocket,
} as const satisfies CliOptions;

const agentHealthCommand = defineCommand({
  name: 'agent health',
  summary: 'whether the agent of this pod answers',
  options: agentHealthOptions,
  exitCodes: { '0': 'it answers', '1': 'it does not' },
  examples: [{ what: 'As a probe', line: 'haptic agent health' }],
  load: async () => (await import('./ask-agent.ts')).askHealth,
});

export const agentDrainOptions = {
  'base-dir': baseDir,
  'drain-socket': { ...adminSocket, default: 'haptic-agent-drain.sock' },
} as const satisfies CliOptions;

const agentDrainCommand = defineCommand({
  name: 'agent drain',
  summary:
    "waits until no new connections come to this pod's HAProxy, or the agent's --drain-max-wait is over",
  description:
    'Says which of the two it was. For the preStop hook: HAProxy has to get its signal USR1 next, since the agent takes nothing more for it.',
  options: agentDrainOptions,
  exitCodes: { '0': 'whatever it was, since the pod ends anyway', '1': 'the agent does not answer' },
  examples: [{ what: 'As a preStop hook', line: 'haptic agent drain' }],
  load: async () => (await import('./ask-agent.ts')).askDrain,
});

/** What lives in every pod: these lines are parsed without a library where they can be. */
export const agentCommands = [agentCommand, agentStateCommand, agentHealthCommand, agentDrainCommand];
