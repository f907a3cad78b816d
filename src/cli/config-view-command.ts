import { type CliOptions, defineCommand } from './cli-command.ts';
import { configOptions } from './config-options.ts';
import { kubeOptions } from './kube-options.ts';

export const configViewOptions = {
  'crd-name': {
    value: 'NAME',
    summary: 'a HAProxyTemplateConfig of the cluster, unless there are --values; of rendered, the HAProxyCfg',
    env: 'CRD_NAME',
    otherwise: 'the configuration of the files below',
  },
  namespace: {
    value: 'NS',
    short: 'n',
    summary: 'of both',
    env: 'POD_NAMESPACE',
    otherwise: "the context's",
  },
  input: {
    value: 'FILE',
    summary: 'of rendered, a HAProxyCfg in a file (- for stdin) instead of one of the cluster',
  },
  ...configOptions,
  output: {
    value: 'FORMAT',
    short: 'o',
    summary: 'how a configuration is printed',
    choices: ['yaml', 'json'],
    default: 'yaml',
  },
  'show-secrets': { summary: 'also values of fields that are secret by name' },
  ...kubeOptions,
} as const satisfies CliOptions;

export const configViewCommand = defineCommand({
  name: 'config view',
  summary: 'the configuration in effect, where each part of it comes from, or what was rendered of it',
  description:
    'effective is all fields with libraries merged and defaults applied; sources is which library, object or file has the last word about ' +
    'each template and resource; rendered is haproxy.cfg of a HAProxyCfg, decompressed.',
  words: [
    {
      name: 'WHAT',
      summary: 'effective (if not given), sources or rendered',
      optional: true,
      choices: ['effective', 'sources', 'rendered'],
    },
  ],
  options: configViewOptions,
  examples: [
    {
      what: 'What the controller makes of a configuration',
      line: 'haptic config view --crd-name haptic-config -n haptic',
    },
    { what: 'Who says what in it', line: 'haptic config view sources --crd-name haptic-config -n haptic' },
    { what: 'What a file of values would change', line: 'haptic config view sources --values values.yaml' },
    { what: 'The haproxy.cfg that was published', line: 'haptic config view rendered -n haptic' },
  ],
  streams: true,
  load: async () => (await import('./config-view.ts')).runConfigView,
});
