import type { Options } from 'ajv';

/** How the schema of a configuration is compiled: all errors at once, with what was asked for, and defaults written in. */
export const configValidatorOptions: Options = {
  allErrors: true,
  useDefaults: true,
  verbose: true,
  formats: { int32: true, int64: true },
  keywords: [
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-validations',
  ],
};
