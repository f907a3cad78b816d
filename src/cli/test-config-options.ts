import type { CliOptions } from './cli-command.ts';

/** Where the configuration under test comes from; the same for `validate` and `benchmark`. */
export const testConfigOptions = {
  file: {
    value: 'FILE',
    short: 'f',
    summary:
      'a HAProxyTemplateConfig, HAProxyTemplateLibrary or the bare spec of one, as YAML; merged in this order',
    repeat: true,
  },
  libraries: {
    value: 'DIR',
    summary: 'template libraries below a bare spec, merged in name order of its *.yaml',
    otherwise: 'those that came with the program',
  },
  'library-tests': {
    summary: 'run the tests that came with the libraries, too',
    otherwise: 'they run if no file is given',
  },
  test: { value: 'NAME', summary: 'only this test', repeat: true },
} as const satisfies CliOptions;
