import type { Options } from 'ajv';

export const planValidatorOptions: Options = { allowUnionTypes: true };
