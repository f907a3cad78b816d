import type { StructuralSchema } from '../structural-schema.ts';

/** Fields that many objects have, to be spread and given a description. */
export const fieldSchemas = {
  /** A duration as Go writes it: `100ms`, `1m30s`, `0`. */
  duration: {
    type: 'string',
    pattern: '^(0|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$',
    maxLength: 32,
  },
  text: { type: 'string', minLength: 1, maxLength: 4096 },
  /** An absolute path. */
  path: { type: 'string', pattern: '^/.+', maxLength: 4096 },
  /** A name as Kubernetes takes it for an object. */
  objectName: {
    type: 'string',
    pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$',
    maxLength: 253,
  },
  /** A template; one of half a million characters is a mistake. */
  template: { type: 'string', minLength: 1, maxLength: 524_288 },
  templateOrNothing: { type: 'string', maxLength: 524_288 },
} as const satisfies Readonly<Record<string, StructuralSchema>>;
