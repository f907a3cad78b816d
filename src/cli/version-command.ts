import { type CliOptions, defineCommand } from './cli-command.ts';
import { outputOption } from './output-option.ts';

export const versionOptions = { output: outputOption } as const satisfies CliOptions;

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'the version of this program',
  options: versionOptions,
  examples: [{ what: 'With the version of Node, for a program', line: 'haptic version -o json' }],
  load: async () => (await import('./print-version.ts')).printVersion,
});
