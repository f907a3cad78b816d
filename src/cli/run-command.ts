import { agentAccessEnvironment, agentAccessOptions } from './agent-access-options.ts';
import { type CliOptions, defineCommand } from './cli-command.ts';
import { configOptions } from './config-options.ts';
import { kubeOptions } from './kube-options.ts';
import { logLevelOption } from './log-level-option.ts';
import { webhookFlags } from './webhook-flags.ts';

export const runOptions = {
  ...kubeOptions,
  namespace: {
    value: 'NS',
    summary: 'namespace of the HAProxy pods',
    env: 'POD_NAMESPACE',
    otherwise: 'all namespaces',
  },
  haproxy: {
    value: 'PATH',
    summary: 'HAProxy binary that checks configurations',
    env: 'HAPTIC_HAPROXY',
    default: 'haproxy',
  },
  ...configOptions,
  'crd-name': {
    value: 'NAME',
    summary: 'HAProxyTemplateConfig in --namespace to take the configuration from, and to follow',
    env: 'CRD_NAME',
    otherwise: 'the configuration is the libraries and --values',
  },
  'lease-name': {
    value: 'NAME',
    summary: 'Lease in --namespace by which replicas agree on who leads',
    env: 'LEASE_NAME',
    otherwise: 'controller.leaderElection.leaseName of the configuration',
  },
  identity: {
    value: 'NAME',
    summary: 'beginning of the name under which this process holds the Lease; some letters at random follow',
    env: 'POD_NAME',
    otherwise: 'the name of the host',
  },
  'watch-timeout': {
    value: 'DURATION',
    summary:
      'how long one watch request may last; a connection that died unnoticed is given up 5 s after that',
    default: '290s',
  },
  'health-listen': {
    value: 'ADDR',
    summary: 'probes and /debug, which answers on loopback only',
    default: ':8080',
  },
  'metrics-listen': { value: 'ADDR', summary: 'Prometheus metrics', default: ':9090' },
  ...webhookFlags,
  ...agentAccessOptions,
  'print-config': { summary: 'print the effective configuration as YAML and exit' },
  'log-level': logLevelOption,
} as const satisfies CliOptions;

export const runCommand = defineCommand({
  name: 'run',
  summary:
    'the controller: watches Kubernetes, renders, brings every HAProxy pod to the newest configuration',
  description: 'Runs until it gets SIGTERM or SIGINT. Its log goes to stdout as JSON lines.',
  options: runOptions,
  environment: agentAccessEnvironment,
  examples: [
    {
      what: 'With a kubeconfig instead of a service account',
      line: 'haptic run --kubeconfig ~/.kube/config',
    },
    {
      what: 'With a configuration that is an object of the cluster, and followed there',
      line: 'haptic run --namespace haptic --crd-name haptic-config',
    },
    {
      what: 'What a file of values makes of the shipped configuration',
      line: 'haptic run --print-config --values values.yaml',
    },
  ],
  streams: true,
  load: async () => (await import('./run.ts')).runController,
});
