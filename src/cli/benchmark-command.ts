import { type CliOptions, defineCommand } from './cli-command.ts';
import { outputOption } from './output-option.ts';
import { testConfigOptions } from './test-config-options.ts';

export const benchmarkOptions = {
  ...testConfigOptions,
  iterations: { value: 'N', summary: 'renders of each test, after one to warm up', default: '2' },
  'profile-includes': { summary: 'show how often templates, snippets and helpers ran, and what they cost' },
  output: outputOption,
} as const satisfies CliOptions;

export const benchmarkCommand = defineCommand({
  name: 'benchmark',
  summary: 'measures what rendering the objects of validation tests costs',
  description:
    'Each test is rendered from nothing; then its objects are touched one by one and rendered anew. Assertions are not judged, and _global is no test here.',
  options: benchmarkOptions,
  examples: [
    { what: 'What the own configuration costs', line: 'haptic benchmark -f values.yaml --iterations 10' },
    {
      what: 'Which template of a test costs most',
      line: 'haptic benchmark -f values.yaml --test my-test --profile-includes',
    },
  ],
  streams: true,
  load: async () => (await import('./benchmark.ts')).benchmark,
});
