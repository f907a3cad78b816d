import type { StructuralSchema } from '../structural-schema.ts';
import { conditionSchemas } from './condition-schemas.ts';

/** `HAProxyTemplateConfig.status`. */
export const templateConfigStatusSchema = {
  type: 'object',
  description: 'What the controller makes of this configuration.',
  properties: {
    observedGeneration: conditionSchemas.observedGeneration,
    lastValidated: {
      type: 'string',
      format: 'date-time',
      description: 'When the configuration was last judged.',
    },
    validationStatus: {
      type: 'string',
      enum: ['Valid', 'Invalid', 'Unknown'],
      description:
        'Valid: it is at work. Invalid: it was refused, and the last valid one stays. Unknown: not judged yet.',
    },
    validationMessage: { type: 'string', description: 'Summary of the judgement.' },
    validationErrors: {
      type: 'array',
      description: 'All that is wrong, each with object, field and place.',
      items: { type: 'string' },
    },
    quarantinedObjects: {
      type: 'integer',
      format: 'int64',
      description: 'Objects that are held back, since HAProxy refuses what they say.',
      minimum: 0,
    },
    objectsWithErrors: {
      type: 'integer',
      format: 'int64',
      description: 'Objects of which something is not in effect.',
      minimum: 0,
    },
    objectsWithWarnings: {
      type: 'integer',
      format: 'int64',
      description: 'Objects of which something is in effect otherwise than it is written.',
      minimum: 0,
    },
    conditions: {
      ...conditionSchemas.conditions,
      description:
        'Validated says whether the configuration of this generation was taken, with reason ValidationSucceeded, ConfigInvalid, HAProxyValidationFailed, LoadGateFailed or, while it is being judged, Validating. ObjectsServed says whether all watched objects are in effect as they are written, with reason AllServed, ObjectsHeldBack or ObjectsWithErrors.',
    },
  },
} as const satisfies StructuralSchema;
