/** The part of JSON Schema that both Kubernetes (structural schemas) and Ajv take. */
export interface StructuralSchema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
}

/** Durations as Go writes them: `100ms`, `1m30s`, `0`. */
const duration = { type: 'string', pattern: '^(0|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$' } as const;
const text = { type: 'string', minLength: 1 } as const;
const directory = { type: 'string', pattern: '^/.+' } as const;

/** `HAProxyTemplateConfig.spec` (haproxy-haptic.org/v1alpha1): the fields of {@link TemplateConfig}, with their defaults. */
export const templateConfigSchema = {
  type: 'object',
  required: ['haproxyConfig'],
  properties: {
    podSelector: {
      type: 'object',
      description: 'Selects the HAProxy pods, in the namespace of the controller.',
      default: {},
      properties: {
        matchLabels: {
          type: 'object',
          additionalProperties: { type: 'string' },
          default: { 'app.kubernetes.io/name': 'haptic', 'app.kubernetes.io/component': 'haproxy' },
        },
      },
    },
    dataplane: {
      type: 'object',
      description: 'Where the files of HAProxy lie and how the pods are reached.',
      default: {},
      properties: {
        port: { type: 'integer', minimum: 1, maximum: 65535, default: 5555 },
        mapsDir: { ...directory, default: '/etc/haproxy/maps' },
        sslCertsDir: { ...directory, default: '/etc/haproxy/ssl' },
        generalStorageDir: { ...directory, default: '/etc/haproxy/general' },
        configFile: { ...directory, default: '/etc/haproxy/haproxy.cfg' },
        driftPreventionInterval: { ...duration, default: '60s' },
        syncTimeout: { ...duration, default: '2m' },
        deploymentTimeout: { ...duration, default: '30s' },
      },
    },
    templatingSettings: {
      type: 'object',
      default: {},
      properties: {
        engine: { type: 'string', enum: ['handlebars'], default: 'handlebars' },
        extraContext: {
          type: 'object',
          description: 'Values for templates, as extraContext.<name>.',
          'x-kubernetes-preserve-unknown-fields': true,
          default: {},
        },
      },
    },
    watchedResources: {
      type: 'object',
      description: 'Kinds that are watched, as resources.<name> in templates.',
      default: {},
      additionalProperties: {
        type: 'object',
        required: ['apiVersion', 'resources'],
        properties: {
          apiVersion: text,
          resources: { ...text, description: 'Plural name: ingresses.' },
          indexBy: { type: 'array', minItems: 1, items: text, description: 'JSONPaths of the lookup keys.' },
          labelSelector: { type: 'string' },
          fieldSelector: { type: 'string' },
          optional: { type: 'boolean', description: 'The kind may be absent from the API.' },
          debounceInterval: duration,
        },
      },
    },
    templateSnippets: {
      type: 'object',
      description: 'Named templates for {{> name}} and {{snippets "point-*"}}.',
      default: {},
      additionalProperties: { type: 'object', required: ['template'], properties: { template: text } },
    },
    haproxyConfig: {
      type: 'object',
      description: 'The template of haproxy.cfg.',
      required: ['template'],
      properties: { template: text },
    },
    maps: {
      type: 'object',
      description: 'Map files, by file name.',
      default: {},
      additionalProperties: {
        type: 'object',
        required: ['template'],
        properties: {
          template: { type: 'string' },
          ordered: { type: 'boolean', description: 'Whether the order of entries counts. Default true.' },
        },
      },
    },
    files: {
      type: 'object',
      description: 'Other files, by file name.',
      default: {},
      additionalProperties: {
        type: 'object',
        required: ['template'],
        properties: {
          template: { type: 'string' },
          reloadOnPush: { type: 'boolean', description: 'Whether a change needs a reload. Default true.' },
        },
      },
    },
    validators: {
      type: 'array',
      description: 'Programs that judge every render besides HAProxy itself. See docs/validators.md.',
      default: [],
      items: {
        type: 'object',
        required: ['name', 'socketPath'],
        properties: {
          name: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' },
          socketPath: { ...directory, description: 'Unix socket on which it listens.' },
          files: {
            type: 'array',
            description: 'Rendered files that it judges, by path; * is any run of characters but /.',
            minItems: 1,
            items: text,
            default: ['haproxy.cfg'],
          },
          dataFiles: {
            type: 'array',
            description: 'Files that it is sent besides, to judge those.',
            items: text,
            default: [],
          },
          timeoutMs: { type: 'integer', minimum: 1, maximum: 60000, default: 5000 },
          maxConnections: { type: 'integer', minimum: 1, maximum: 64, default: 4 },
        },
      },
    },
  },
} as const satisfies StructuralSchema;
