import { type CliOptions, defineCommand } from './cli-command.ts';
import { kubeOptions } from './kube-options.ts';
import { outputOption } from './output-option.ts';

export const preflightOptions = {
  release: { value: 'NAME', summary: 'of the Helm release', default: 'haptic' },
  namespace: {
    value: 'NS',
    short: 'n',
    summary: 'where it is, or is to be, installed',
    otherwise: "the context's",
  },
  chart: {
    value: 'CHART',
    summary: 'the chart: a folder, an archive, or whatever helm takes for one',
    otherwise: 'the one that came with the program',
  },
  values: {
    value: 'FILE',
    short: 'f',
    summary: 'values, as helm gets them; merged in this order',
    repeat: true,
  },
  set: {
    value: 'KEY=VALUE',
    summary: "a value, as helm's --set gets it; laid over those of files",
    repeat: true,
  },
  manifests: {
    value: 'FILE',
    summary: 'what helm template has printed; helm is not run then',
  },
  helm: { value: 'PATH', summary: 'helm binary that renders the chart', default: 'helm' },
  offline: { summary: 'asks no cluster' },
  'kube-version': {
    value: 'VERSION',
    summary: 'version of Kubernetes, like 1.33',
    otherwise: "the cluster's, without one the newest that helm knows",
  },
  'api-versions': {
    value: 'NAMES',
    summary:
      'with --offline: API versions that are served besides those of Kubernetes, like cert-manager.io/v1',
    repeat: true,
  },
  haproxy: {
    value: 'PATH',
    summary: 'HAProxy binary for validation tests',
    env: 'HAPTIC_HAPROXY',
    default: 'haproxy',
  },
  timeout: { value: 'DURATION', summary: 'longest wait for each answer', default: '30s' },
  output: outputOption,
  ...kubeOptions,
} as const satisfies CliOptions;

export const preflightCommand = defineCommand({
  name: 'preflight',
  summary: 'finds out before helm install or helm upgrade what would go wrong',
  description:
    'Checks values by the schema and the rules of the chart, what the cluster serves, who already has a name, Secrets that are referred to, nodes, ' +
    'pod security, your rights, and the configuration itself with its validation tests; for an upgrade, what will restart or change. ' +
    'Changes nothing: what the API server is sent are questions and dry runs. Secrets are never printed. ' +
    'The chart is rendered by helm; without it, and without --manifests, what needs a rendered chart is skipped and said so.',
  options: preflightOptions,
  exitCodes: { '0': 'nothing is in the way', '1': 'something is', '2': 'usage' },
  examples: [
    { what: 'Before an install or an upgrade', line: 'haptic preflight -n haptic -f values.yaml' },
    {
      what: 'In CI, without a cluster',
      line: 'haptic preflight --offline -f values.yaml --kube-version 1.33 -o json',
    },
    {
      what: 'Of what helm template has printed elsewhere',
      line: 'haptic preflight -n haptic --manifests manifests.yaml',
    },
  ],
  streams: true,
  load: async () => (await import('./preflight.ts')).runPreflight,
});
