import type { StructuralSchema } from '../structural-schema.ts';
import { fieldSchemas } from './field-schemas.ts';

const { text, template, templateOrNothing } = fieldSchemas;

const postProcessing = {
  type: 'array',
  description: 'What is done to the text after it was rendered, in this order.',
  maxItems: 32,
  items: {
    type: 'object',
    required: ['type', 'params'],
    properties: {
      type: {
        type: 'string',
        enum: ['regex_replace'],
        description:
          'regex_replace: in each line, what matches the regular expression params.pattern is replaced by params.replace.',
      },
      params: {
        type: 'object',
        description: 'Parameters of the type: pattern and replace.',
        maxProperties: 16,
        additionalProperties: { type: 'string', maxLength: 4096 },
      },
    },
    'x-kubernetes-validations': [
      {
        rule: "'pattern' in self.params && 'replace' in self.params",
        message: 'regex_replace needs params.pattern and params.replace',
        fieldPath: '.params',
      },
    ],
  },
} as const satisfies StructuralSchema;

/** What templates make: the fields that a configuration and a library have in common, but for resources and tests. */
export const outputSchemas = {
  templateSnippets: {
    type: 'object',
    description:
      'Named templates, for {{> name}} and {{snippets "point-*"}}. A snippet replaces one of the same name in a library before it.',
    default: {},
    maxProperties: 4096,
    additionalProperties: {
      type: 'object',
      required: ['template'],
      properties: {
        template: { ...template, description: 'Text with Handlebars expressions. See docs/templates.md.' },
        overrides: {
          type: 'boolean',
          description:
            'Says that this snippet replaces one of a library: an error when no library before it has one of this name.',
          default: false,
        },
      },
    },
  },
  haproxyConfig: {
    type: 'object',
    description: 'The template of haproxy.cfg.',
    required: ['template'],
    properties: {
      template: { ...template, description: 'Text with Handlebars expressions. See docs/templates.md.' },
      postProcessing,
    },
  },
  maps: {
    type: 'object',
    description: 'Map files, by file name.',
    default: {},
    maxProperties: 1024,
    additionalProperties: {
      type: 'object',
      required: ['template'],
      properties: {
        template: { ...templateOrNothing, description: 'One "key value" per line.' },
        ordered: {
          type: 'boolean',
          description: 'Whether the order of entries counts, as with regular expressions.',
          default: true,
        },
        postProcessing,
      },
    },
  },
  files: {
    type: 'object',
    description: 'Other files that HAProxy reads, by file name.',
    default: {},
    maxProperties: 1024,
    additionalProperties: {
      type: 'object',
      required: ['template'],
      properties: {
        template: { ...templateOrNothing, description: 'The content.' },
        reloadOnPush: {
          type: 'boolean',
          description: 'Whether a change of the content needs a reload of HAProxy.',
          default: true,
        },
        postProcessing,
      },
    },
  },
  sslCertificates: {
    type: 'object',
    description: 'Certificates with their keys, as PEM, by file name.',
    default: {},
    maxProperties: 1024,
    additionalProperties: {
      type: 'object',
      required: ['template'],
      properties: {
        template: { ...templateOrNothing, description: 'Certificate, chain and key, as PEM.' },
        postProcessing,
      },
    },
  },
  crtLists: {
    type: 'object',
    description: 'Lists of certificates for bind lines, by file name.',
    default: {},
    maxProperties: 1024,
    additionalProperties: {
      type: 'object',
      required: ['template'],
      properties: {
        template: { ...templateOrNothing, description: 'One certificate with options and names per line.' },
        postProcessing,
      },
    },
  },
  k8sResources: {
    type: 'object',
    description:
      'Objects that are kept in the cluster, by a name of their own. What is no longer rendered is deleted.',
    default: {},
    maxProperties: 1024,
    additionalProperties: {
      type: 'object',
      required: ['template'],
      properties: {
        template: { ...template, description: 'YAML of one or more objects.' },
        createOnlyFields: {
          type: 'array',
          description:
            'JSONPaths of fields that are set when an object is created and left alone afterwards.',
          maxItems: 64,
          items: text,
        },
        postProcessing,
      },
    },
  },
} as const satisfies Readonly<Record<string, StructuralSchema>>;
