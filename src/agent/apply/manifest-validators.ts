import { compileSchemas } from '../../lib/compile-schemas.ts';
import { manifestSchema } from './manifest-schema.ts';

/** Compiled ahead in the bundle. */
export const manifestValidators = compileSchemas({ manifest: manifestSchema });
