import type { StructuralSchema } from '../structural-schema.ts';
import { fieldSchemas } from './field-schemas.ts';

const { path, text } = fieldSchemas;

/** `spec.validators`. */
export const validatorsSchema = {
  type: 'array',
  description: 'Programs that judge every render besides HAProxy itself. See docs/validators.md.',
  default: [],
  maxItems: 32,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name', 'socketPath'],
    properties: {
      name: {
        type: 'string',
        pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
        maxLength: 63,
        description: 'Names it in logs, taps and metrics.',
      },
      socketPath: { ...path, description: 'Unix socket on which it listens.' },
      files: {
        type: 'array',
        description: 'Rendered files that it judges, by path; * is any run of characters but /.',
        minItems: 1,
        maxItems: 64,
        items: text,
        default: ['haproxy.cfg'],
      },
      dataFiles: {
        type: 'array',
        description: 'Files that it is sent besides, to judge those.',
        maxItems: 64,
        items: text,
        default: [],
      },
      timeoutMs: {
        type: 'integer',
        format: 'int32',
        description: 'Milliseconds for an answer.',
        minimum: 1,
        maximum: 60000,
        default: 5000,
      },
      maxConnections: {
        type: 'integer',
        format: 'int32',
        description: 'Questions at the same time.',
        minimum: 1,
        maximum: 64,
        default: 4,
      },
    },
  },
} as const satisfies StructuralSchema;
