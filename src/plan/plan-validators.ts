import { compileSchemas } from '../lib/compile-schemas.ts';
import {
  outputRecordSchema,
  outputsRecordSchema,
  planHeaderSchema,
  planRecordSchemas,
} from './plan-records.ts';
import { planValidatorOptions } from './plan-validator-options.ts';

/** Of the lines of a plan blob: records by kind, its header, and what comes after the plan. Compiled ahead in the bundle. */
export const planValidators = compileSchemas(
  {
    ...planRecordSchemas,
    header: planHeaderSchema,
    outputs: outputsRecordSchema,
    output: outputRecordSchema,
  },
  planValidatorOptions,
);
