import type { StructuralSchema } from '../structural-schema.ts';
import { conditionSchemas } from './condition-schemas.ts';
import { deployedToPodsSchema } from './deployed-to-pods-schema.ts';
import { fieldSchemas } from './field-schemas.ts';
import { retainedSchemas } from './retained-schemas.ts';

const { text, path } = fieldSchemas;
const checksum = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'sha256:<hex> of the file as the HAProxy pods have it.',
} as const;
const compressed = {
  type: 'boolean',
  description: 'Whether the text is compressed: zstd, then base64.',
  default: false,
} as const;
const content = { type: 'string' } as const;

const companions = {
  type: 'array',
  items: {
    type: 'object',
    required: ['kind', 'name'],
    properties: {
      kind: { ...text, description: 'Its kind.' },
      name: { ...text, description: 'Its name.' },
      namespace: { ...text, description: 'Its namespace.' },
    },
  },
} as const;

const fileStatus = {
  type: 'object',
  description: 'How the file is shown. What HAProxy pods hold and run is told by the HAProxyCfg.',
  properties: {
    observedGeneration: conditionSchemas.observedGeneration,
    conditions: {
      ...conditionSchemas.conditions,
      description: 'Published is False while the file is too large to be shown.',
    },
  },
} as const satisfies StructuralSchema;

/** Objects that show what was rendered: `spec` and `status` of each. */
export const publishedSchemas = {
  config: {
    type: 'object',
    description: 'A haproxy.cfg as it was rendered, without the passwords of its users.',
    required: ['path', 'content', 'checksum'],
    properties: {
      path: { ...path, description: 'Where it lies in the HAProxy pods.' },
      content: { ...content, minLength: 1, description: 'Its text.' },
      checksum,
      compressed,
      retained: retainedSchemas.spec,
    },
  },
  configStatus: {
    type: 'object',
    description: 'What was rendered with it and where it is in use.',
    properties: {
      observedGeneration: conditionSchemas.observedGeneration,
      deployedToPods: deployedToPodsSchema,
      retainedConfigs: retainedSchemas.list,
      auxiliaryFiles: {
        type: 'object',
        description: 'The objects with the other files of the same render, 200 of each kind at most.',
        properties: {
          mapFiles: { ...companions, description: 'HAProxyMapFile objects.' },
          sslCertificates: {
            ...companions,
            description: 'Secrets with certificates and other files that hold keys.',
          },
          generalFiles: { ...companions, description: 'HAProxyGeneralFile objects.' },
          crtListFiles: { ...companions, description: 'HAProxyCRTListFile objects.' },
        },
      },
      metadata: {
        type: 'object',
        description: 'Figures of the render.',
        properties: {
          totalSize: {
            type: 'integer',
            format: 'int64',
            description: 'Bytes of all files.',
          },
          contentSize: {
            type: 'integer',
            format: 'int64',
            description: 'Bytes of haproxy.cfg.',
          },
          renderedAt: { type: 'string', format: 'date-time', description: 'When it was rendered.' },
          validatedAt: { type: 'string', format: 'date-time', description: 'When HAProxy accepted it.' },
        },
      },
      validationError: {
        type: 'string',
        description: 'What HAProxy said, if it refused this render.',
      },
      conditions: {
        ...conditionSchemas.conditions,
        description:
          'ConfigValidated says whether HAProxy accepts it, ConfigPinned whether HAProxy pods are kept on it since newer ones are refused, Published whether everything of the render is shown.',
      },
    },
  },
  map: {
    type: 'object',
    description: 'A map file as it was rendered.',
    required: ['mapName', 'path', 'entries', 'checksum'],
    properties: {
      mapName: { ...text, description: 'Its name.' },
      path: { ...path, description: 'Where it lies in the HAProxy pods.' },
      entries: { ...content, description: 'Its lines.' },
      checksum,
      compressed,
    },
  },
  general: {
    type: 'object',
    description: 'Another file as it was rendered.',
    required: ['fileName', 'path', 'content', 'checksum'],
    properties: {
      fileName: { ...text, description: 'Its name.' },
      path: { ...path, description: 'Where it lies in the HAProxy pods.' },
      content: { ...content, description: 'Its content.' },
      checksum,
      compressed,
    },
  },
  crtList: {
    type: 'object',
    description: 'A crt-list as it was rendered.',
    required: ['listName', 'path', 'entries', 'checksum'],
    properties: {
      listName: { ...text, description: 'Its name.' },
      path: { ...path, description: 'Where it lies in the HAProxy pods.' },
      entries: { ...content, description: 'Its lines.' },
      checksum,
      compressed,
    },
  },
  fileStatus,
} as const satisfies Readonly<Record<string, StructuralSchema>>;
