import { type CliOptions, defineCommand } from './cli-command.ts';
import { testConfigOptions } from './test-config-options.ts';

export const validateOptions = {
  ...testConfigOptions,
  output: {
    value: 'FORMAT',
    short: 'o',
    summary: 'how the results are printed',
    choices: ['text', 'summary', 'json', 'yaml', 'junit', 'tap'],
    default: 'text',
  },
  haproxy: {
    value: 'PATH',
    summary: 'HAProxy binary for haproxy_valid and traffic',
    env: 'HAPTIC_HAPROXY',
    default: 'haproxy',
  },
  workers: { value: 'N', summary: 'tests at the same time', otherwise: 'as many as there are processors' },
  timeout: { value: 'DURATION', summary: 'how long one test may take', default: '30s' },
  verbose: { summary: 'show notes, and the start of what an assertion that failed looked at' },
  'dump-rendered': { summary: 'show all that was rendered' },
  coverage: { summary: 'list the templates and snippets that no test ran' },
  'min-coverage': {
    value: 'PERCENT',
    summary: 'fail if the tests run fewer of the templates and snippets',
  },
  'profile-includes': { summary: 'show how often templates, snippets and helpers ran, and what they cost' },
  'update-golden': {
    summary: 'write what was rendered into the file, where an `equals` expects something else',
  },
} as const satisfies CliOptions;

export const validateCommand = defineCommand({
  name: 'validate',
  summary: "runs the configuration's validation tests",
  description:
    'Renders the fixtures of each test and judges its assertions; traffic is sent through a real HAProxy. Needs no cluster. ' +
    'Without a file, it is the libraries that came with the program that are tested.',
  options: validateOptions,
  exitCodes: { '0': 'all tests passed', '1': 'a test failed, or there is none', '2': 'usage' },
  examples: [
    { what: 'A configuration and its tests', line: 'haptic validate -f haproxytemplateconfig.yaml' },
    { what: 'In CI', line: 'haptic validate -f values.yaml -o junit > results.xml' },
    {
      what: 'One test, and all that it renders',
      line: 'haptic validate -f values.yaml --test my-test --dump-rendered',
    },
    {
      what: 'Take what is rendered as what is expected',
      line: 'haptic validate -f values.yaml --update-golden',
    },
  ],
  streams: true,
  load: async () => (await import('./validate.ts')).validate,
});
