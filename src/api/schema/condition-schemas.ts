import type { StructuralSchema } from '../structural-schema.ts';

/** Fields of a status that all kinds have, as Kubernetes' conventions write them. */
export const conditionSchemas = {
  observedGeneration: {
    type: 'integer',
    format: 'int64',
    description: 'metadata.generation of the object that this status speaks of.',
    minimum: 0,
  },
  conditions: {
    type: 'array',
    description: 'What holds of the object, by type.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      type: 'object',
      required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
      properties: {
        type: {
          type: 'string',
          description: 'Type of the condition, in CamelCase.',
          pattern: '^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$',
          maxLength: 316,
        },
        status: {
          type: 'string',
          enum: ['True', 'False', 'Unknown'],
          description: 'Whether it holds.',
        },
        observedGeneration: {
          type: 'integer',
          format: 'int64',
          description: 'metadata.generation of the object that the condition speaks of.',
          minimum: 0,
        },
        lastTransitionTime: {
          type: 'string',
          format: 'date-time',
          description: 'When status last changed.',
        },
        reason: {
          type: 'string',
          description: 'Why, as one word in CamelCase for programs.',
          pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
          minLength: 1,
          maxLength: 1024,
        },
        message: { type: 'string', description: 'Why, for people.', maxLength: 32_768 },
      },
    },
  },
} as const satisfies Readonly<Record<string, StructuralSchema>>;
