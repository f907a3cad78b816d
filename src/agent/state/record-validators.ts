import { compileSchemas } from '../../lib/compile-schemas.ts';
import { recordSchema } from './record-schema.ts';

/** Compiled ahead in the bundle. */
export const recordValidators = compileSchemas({ record: recordSchema });
