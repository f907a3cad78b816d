import { type CliOptions, defineCommand } from './cli-command.ts';
import { kubeOptions } from './kube-options.ts';
import { outputOption } from './output-option.ts';

export const applyCrdsOptions = {
  'dry-run': { summary: 'has the API server check them and say what would change; changes nothing' },
  force: { summary: 'sets back CRDs of a later version, too; fields that this one does not know are lost' },
  print: { summary: 'prints them as YAML and asks no cluster' },
  timeout: { value: 'DURATION', summary: 'longest wait until the API server serves them', default: '30s' },
  output: outputOption,
  ...kubeOptions,
} as const satisfies CliOptions;

export const applyCrdsCommand = defineCommand({
  name: 'apply-crds',
  summary: "brings the cluster's CRDs to this version, and waits until they are served",
  description:
    'Server-side apply as the field manager helm, so that Helm can install charts with other CRDs later. An upgrade by Helm leaves CRDs alone: the chart runs this before an upgrade. ' +
    'Objects are not touched. CRDs of a later version, which another installation needs, stay as they are.',
  options: applyCrdsOptions,
  examples: [
    { what: 'Before an upgrade without the Job of the chart', line: 'haptic apply-crds' },
    { what: 'What it would do', line: 'haptic apply-crds --dry-run' },
    { what: 'By other means', line: 'haptic apply-crds --print | kubectl apply --server-side -f -' },
  ],
  load: async () => (await import('./apply-crds.ts')).runApplyCrds,
});
