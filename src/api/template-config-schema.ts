import { controllerSchema } from './schema/controller-schema.ts';
import { dataplaneSchema } from './schema/dataplane-schema.ts';
import { fieldSchemas } from './schema/field-schemas.ts';
import { outputSchemas } from './schema/output-schemas.ts';
import { validationTestsSchema } from './schema/validation-tests-schema.ts';
import { validatorsSchema } from './schema/validators-schema.ts';
import { watchedResourceSchema } from './schema/watched-resource-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

const { objectName, text } = fieldSchemas;

/**
 * `HAProxyTemplateConfig.spec` (haproxy-haptic.org/v1alpha1) as it is after libraries were merged, with every default: the
 * one source of CRDs, types, checks and reference.
 */
export const templateConfigSchema = {
  type: 'object',
  required: ['haproxyConfig'],
  properties: {
    credentialsSecretRef: {
      type: 'object',
      description:
        'Secret with dataplane_username and dataplane_password for agents that are reached by plain HTTP; followed when it changes. Not needed with mutual TLS.',
      required: ['name'],
      properties: {
        name: { ...objectName, description: 'Its name.' },
        namespace: {
          ...objectName,
          maxLength: 63,
          description: 'Its namespace. Default: the one of this object.',
        },
      },
    },
    podSelector: {
      type: 'object',
      description: 'Selects the HAProxy pods, in the namespace of the controller.',
      default: {},
      properties: {
        matchLabels: {
          type: 'object',
          description: 'Labels that a pod must have.',
          minProperties: 1,
          maxProperties: 64,
          additionalProperties: { type: 'string', maxLength: 63 },
          default: { 'app.kubernetes.io/name': 'haptic', 'app.kubernetes.io/component': 'haproxy' },
        },
      },
    },
    controller: controllerSchema,
    logging: {
      type: 'object',
      description: 'What the controller logs.',
      default: {},
      properties: {
        level: {
          type: 'string',
          enum: ['', 'TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'trace', 'debug', 'info', 'warn', 'error'],
          description: 'Least level that is logged. Empty: as the process was started.',
          default: '',
        },
      },
    },
    dataplane: dataplaneSchema,
    templatingSettings: {
      type: 'object',
      description: 'How templates are read, and values of your own for them.',
      default: {},
      properties: {
        engine: {
          type: 'string',
          enum: ['handlebars'],
          description: 'Language of the templates.',
          default: 'handlebars',
        },
        extraContext: {
          type: 'object',
          description: 'Values for templates, as extraContext.<name>.',
          'x-kubernetes-preserve-unknown-fields': true,
          default: {},
        },
      },
    },
    watchedResourcesIgnoreFields: {
      type: 'array',
      description: 'JSONPaths of fields that are dropped from every object before it is stored.',
      maxItems: 64,
      items: text,
      default: [
        'metadata.managedFields',
        "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']",
      ],
    },
    watchedResources: {
      type: 'object',
      description: 'Kinds that are watched, as resources.<name> in templates.',
      default: {},
      maxProperties: 256,
      additionalProperties: watchedResourceSchema,
    },
    libraryRefs: {
      type: 'array',
      description:
        'HAProxyTemplateLibrary objects of the same namespace that this configuration is built on, lowest first: a later one replaces what an earlier one has under the same name, and this object comes last.',
      maxItems: 64,
      default: [],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name', 'revision'],
        properties: {
          name: { ...objectName, description: 'Name of the HAProxyTemplateLibrary.' },
          revision: {
            ...text,
            maxLength: 128,
            description:
              'The revision that it must have. As long as it has another, the configuration at work stays.',
          },
        },
      },
    },
    ...outputSchemas,
    httpContent: {
      type: 'object',
      description: 'Limits of what templates may fetch by HTTP.',
      default: {},
      properties: {
        allowPrivateAddresses: {
          type: 'boolean',
          description: 'Whether loopback and private addresses may be asked. Link-local ones never are.',
          default: false,
        },
        allowedHosts: {
          type: 'array',
          description: 'Hosts that may be asked; *.example.com stands for every name below. Empty: all.',
          maxItems: 256,
          items: { ...text, maxLength: 255 },
          default: [],
        },
        maxBytes: {
          type: 'integer',
          format: 'int64',
          description: 'Largest body that is taken, in bytes.',
          minimum: 1,
          maximum: 104_857_600,
          default: 10_485_760,
        },
        maxTotalBytes: {
          type: 'integer',
          format: 'int64',
          description:
            'Largest size of all texts together, in bytes, those that are being tried included. A text for which there is no room is not taken; the former one stays.',
          minimum: 1,
          maximum: 4_294_967_296,
          default: 134_217_728,
        },
        maxEntries: {
          type: 'integer',
          format: 'int32',
          description: 'Addresses that are followed at the same time.',
          minimum: 1,
          maximum: 10_000,
          default: 1000,
        },
      },
    },
    validators: validatorsSchema,
    validationTests: validationTestsSchema,
  },
} as const satisfies StructuralSchema;
