import { agentAccessEnvironment, agentAccessOptions } from './agent-access-options.ts';
import { type CliOptions, defineCommand } from './cli-command.ts';
import { debugOption } from './debug-option.ts';
import { kubeOptions } from './kube-options.ts';
import { outputOption } from './output-option.ts';

export const diffOptions = {
  from: { value: 'PLACE', summary: 'where the change starts', required: true },
  to: { value: 'PLACE', short: 'f', summary: 'where it leads', required: true },
  objects: {
    value: 'PLACE',
    summary:
      'objects that both renders are made of: a file or folder of manifests, or cluster for those that the cluster has',
    repeat: true,
  },
  test: { value: 'NAME', summary: 'objects of this validation test of --to', repeat: true },
  all: { summary: 'a comparison for each validation test of --to' },
  'no-content': { summary: 'verdicts and names of files only' },
  unified: { value: 'N', short: 'U', summary: 'lines around a change', default: '3' },
  'haproxy-version': {
    value: 'VERSION',
    summary: 'what HAProxy can change at runtime, where no pod is asked',
    default: '3.4',
  },
  libraries: {
    value: 'DIR',
    summary: 'template libraries below a configuration',
    otherwise: 'those that came with the program',
  },
  output: outputOption,
  namespace: {
    value: 'NS',
    summary: 'of the HAProxy pods and of their configuration',
    env: 'POD_NAMESPACE',
    otherwise: 'all namespaces',
  },
  'crd-name': {
    value: 'NAME',
    summary: 'the HAProxyTemplateConfig in use, for what the pods are, where no PLACE has a configuration',
    env: 'CRD_NAME',
    otherwise: 'the configuration that came with the program',
  },
  selector: {
    value: 'LABELS',
    summary: 'labels of the HAProxy pods, a=b,c=d',
    otherwise: "the configuration's podSelector",
  },
  url: debugOption,
  ...kubeOptions,
  ...agentAccessOptions,
} as const satisfies CliOptions;

export const diffCommand = defineCommand({
  name: 'diff',
  summary: 'what a change of configuration or objects would do to the files and to HAProxy',
  description:
    'Compares two renders and says how a pod would get from one to the other: noop, file_only, runtime (by commands), or reload, with every ' +
    'reason. A PLACE is a file or folder with a configuration, objects or both, as YAML; pod://NAMESPACE/NAME or pods for what HAProxy ' +
    'pods hold and run; or live for what a running controller has let out. Contents of certificates are never shown.',
  options: diffOptions,
  environment: agentAccessEnvironment,
  exitCodes: { '0': 'compared, whatever was found', '1': 'could not be compared', '2': 'usage' },
  examples: [
    { what: 'Two states of a folder of manifests', line: 'haptic diff --from before/ --to after/' },
    {
      what: 'What a new configuration would do to every pod, with the objects of the cluster',
      line: 'haptic diff --from pods --to values.yaml --objects cluster',
    },
    {
      what: 'Whether a pod is behind what the controller has let out',
      line: 'haptic diff --from pod://haptic/haproxy-0 --to live',
    },
    {
      what: 'Only the verdict, for a program',
      line: 'haptic diff --from before/ --to after/ --no-content -o json',
    },
  ],
  streams: true,
  load: async () => (await import('./diff.ts')).runDiff,
});
