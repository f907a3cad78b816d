import { agentAccessEnvironment, agentAccessOptions } from './agent-access-options.ts';
import { type CliOptions, defineCommand } from './cli-command.ts';
import { configOptions } from './config-options.ts';
import { debugOption } from './debug-option.ts';
import { kubeOptions } from './kube-options.ts';
import { outputOption } from './output-option.ts';

export const doctorOptions = {
  bundle: { value: 'FILE', summary: 'writes what helps to find a fault into this zip file, without secrets' },
  output: outputOption,
  namespace: {
    value: 'NS',
    short: 'n',
    summary: 'of HAPTIC: configuration, HAProxy pods',
    env: 'POD_NAMESPACE',
    otherwise: "the context's",
  },
  release: { value: 'NAME', summary: 'the Helm release', otherwise: 'the one in the namespace' },
  'crd-name': {
    value: 'NAME',
    summary: 'the HAProxyTemplateConfig in use, unless there are --values',
    env: 'CRD_NAME',
    otherwise: 'that of the release, without one the configuration of the files below',
  },
  ...configOptions,
  'service-account': {
    value: 'NS/NAME',
    summary: 'whose permissions are looked at',
    otherwise: 'that of the release, without one the credentials in use',
  },
  haproxy: {
    value: 'PATH',
    summary: 'HAProxy binary that checks configurations',
    env: 'HAPTIC_HAPROXY',
    default: 'haproxy',
  },
  url: debugOption,
  'metrics-url': {
    value: 'URL',
    summary: "the controller's metrics, for the bundle",
    default: 'http://127.0.0.1:9090/metrics',
  },
  'log-lines': { value: 'N', summary: 'last lines of each log in the bundle; 0 for none', default: '500' },
  timeout: { value: 'DURATION', summary: 'longest wait for each answer', default: '10s' },
  ...kubeOptions,
  ...agentAccessOptions,
} as const satisfies CliOptions;

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'finds out what is wrong with an installation, and collects what a report about it needs',
  description:
    'Looks at the API and its CRDs, permissions, the configuration and its status, HAProxy pods and their agents, certificates, the HAProxy binary, ' +
    'and the running controller; of a Helm release also at its pods and images, the leader, the webhook and what is published. What cannot be looked at from here is said and counts as no failure. The bundle holds no key, no token and ' +
    'no value of a Secret: each is searched for by value in every file.',
  options: doctorOptions,
  environment: agentAccessEnvironment,
  exitCodes: { '0': 'nothing is wrong', '1': 'something is', '2': 'usage' },
  examples: [
    { what: 'What is wrong with a Helm release', line: 'haptic doctor -n haptic' },
    { what: 'What is wrong', line: 'haptic doctor -n haptic --crd-name haptic-config' },
    {
      what: 'Whether the controller may do what it must',
      line: 'haptic doctor --service-account haptic/haptic-controller',
    },
    { what: 'A file for a report', line: 'haptic doctor -n haptic --bundle haptic-doctor.zip' },
  ],
  streams: true,
  load: async () => (await import('./doctor.ts')).runDoctor,
});
