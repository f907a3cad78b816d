import type { StructuralSchema } from '../structural-schema.ts';
import { fieldSchemas } from './field-schemas.ts';

const { duration, text } = fieldSchemas;

/** One entry of `spec.watchedResources`, after the entries of one name were merged. */
export const watchedResourceSchema = {
  type: 'object',
  description: 'One kind of object that templates may look at.',
  required: ['resources'],
  properties: {
    apiVersion: { ...text, maxLength: 317, description: 'Group and version: networking.k8s.io/v1, or v1.' },
    apiVersions: {
      type: 'array',
      description: 'Groups and versions in order of preference; the first that the API serves is watched.',
      minItems: 1,
      maxItems: 16,
      items: { ...text, maxLength: 317 },
    },
    resources: { ...text, maxLength: 253, description: 'Plural name of the kind: ingresses.' },
    optional: {
      type: 'boolean',
      description:
        'Whether the kind may be absent from the API. If it is absent and not optional, the controller is not ready. When it appears, it is watched at once.',
      default: false,
    },
    indexBy: {
      type: 'array',
      description: 'JSONPaths of the keys by which templates look objects up, in this order.',
      minItems: 1,
      maxItems: 16,
      items: text,
      default: ['metadata.namespace', 'metadata.name'],
    },
    labelSelector: {
      type: 'string',
      maxLength: 4096,
      description:
        'Only objects with these labels, as kubectl -l takes it: app=shop,tier in (web, api),!canary.',
    },
    fieldSelector: {
      type: 'string',
      maxLength: 4096,
      description:
        'Only objects with these values: spec.ingressClassName=haproxy. Any field may be named; with several conditions separated by commas, all must hold.',
    },
    namespaces: {
      type: 'array',
      description: 'Only objects of these namespaces. Default: of all.',
      minItems: 1,
      maxItems: 64,
      items: { ...text, maxLength: 63 },
      'x-kubernetes-list-type': 'set',
    },
    namespaceSelector: {
      type: 'string',
      maxLength: 4096,
      description:
        'Only objects of namespaces with these labels, as kubectl -l takes it. Not together with namespaces.',
    },
    store: {
      type: 'string',
      enum: ['full', 'on-demand'],
      description:
        'full: objects are held in memory. on-demand: only references are; an object is read when a template first asks for it. For kinds of which few objects are used, such as Secrets.',
      default: 'full',
    },
    cacheSize: {
      type: 'integer',
      format: 'int32',
      description:
        'Objects that are kept after a template asked for them, the least recently used leave first. Only with store on-demand. Default: 256.',
      minimum: 1,
      maximum: 1_000_000,
    },
    cacheTTL: {
      ...duration,
      description:
        'How long an object is kept after a template last asked for it; "0": as long as there is room. Only with store on-demand. Default: 2.2 times dataplane.driftPreventionInterval.',
    },
    debounceInterval: {
      ...duration,
      description:
        'A first change is taken at once, later ones are gathered for so long. "0": a change never waits.',
      default: '100ms',
    },
    ignoreFields: {
      type: 'array',
      description:
        'JSONPaths of fields that are dropped before an object is stored, besides those of watchedResourcesIgnoreFields.',
      maxItems: 64,
      items: text,
    },
    enableValidationWebhook: {
      type: 'boolean',
      description: 'Whether changes of these objects are rendered and checked before the API takes them.',
      default: false,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.apiVersion) != has(self.apiVersions)',
      message: 'set either apiVersion or apiVersions',
    },
    {
      rule: '!(has(self.namespaces) && has(self.namespaceSelector))',
      message: 'set namespaces or namespaceSelector, not both',
      fieldPath: '.namespaceSelector',
    },
  ],
} as const satisfies StructuralSchema;
