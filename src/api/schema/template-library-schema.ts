import type { StructuralSchema } from '../structural-schema.ts';
import { conditionSchemas } from './condition-schemas.ts';
import { fieldSchemas } from './field-schemas.ts';

/** What a HAProxyTemplateLibrary has besides the fields that it shares with a configuration. */
export const templateLibrarySchema = {
  revision: {
    ...fieldSchemas.text,
    maxLength: 128,
    description:
      'Names this state of the library. A configuration takes the library only in the revision that it asks for, so change it with every change of the library.',
  },
  status: {
    type: 'object',
    description: 'What the controller makes of this library.',
    properties: {
      observedGeneration: conditionSchemas.observedGeneration,
      conditions: conditionSchemas.conditions,
    },
  },
} as const satisfies Readonly<Record<string, StructuralSchema>>;
