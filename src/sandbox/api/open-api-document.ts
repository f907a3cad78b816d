import { apiVersionOf, type ResourceType } from './resource-type.ts';
import type { Schema } from './schema.ts';

interface Components {
  readonly schemas: Record<string, unknown>;
}

const groupPrefixes: Readonly<Record<string, string>> = {
  '': 'io.k8s.api.core',
  apps: 'io.k8s.api.apps',
  batch: 'io.k8s.api.batch',
  policy: 'io.k8s.api.policy',
  'networking.k8s.io': 'io.k8s.api.networking',
  'discovery.k8s.io': 'io.k8s.api.discovery',
  'coordination.k8s.io': 'io.k8s.api.coordination',
  'events.k8s.io': 'io.k8s.api.events',
  'rbac.authorization.k8s.io': 'io.k8s.api.rbac',
  'authentication.k8s.io': 'io.k8s.api.authentication',
  'authorization.k8s.io': 'io.k8s.api.authorization',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
};

/** The OpenAPI v3 document of one group version: paths with the parameters kubectl looks for, and schemas. */
export function documentOf(types: readonly ResourceType[]): unknown {
  const components: Components = { schemas: {} };
  const paths: Record<string, unknown> = {};
  for (const type of types) {
    const name = schemaName(type);
    const kinds = [groupVersionKind(type)];
    components.schemas[name] = {
      ...inline(type.schema, components),
      'x-kubernetes-group-version-kind': kinds,
    };
    Object.assign(paths, pathsOf(type, name));
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.32.0' }, paths, components };
}

/** `io.k8s.api.networking.v1.Ingress`; for a CRD the reversed group, as kube-apiserver names it. */
function schemaName(type: Pick<ResourceType, 'group' | 'version' | 'kind'>): string {
  const prefix = groupPrefixes[type.group] ?? type.group.split('.').reverse().join('.');
  return `${prefix}.${type.version}.${type.kind}`;
}

function groupVersionKind({ group, version, kind }: ResourceType): Readonly<Record<string, string>> {
  return { group, version, kind };
}

/** A schema as OpenAPI: named definitions become references, collected into `components`. */
function reference(schema: Schema, components: Components): unknown {
  const name = schema.definition;
  if (name === undefined) return inline(schema, components);
  if (components.schemas[name] === undefined) {
    components.schemas[name] = {};
    components.schemas[name] = inline(schema.origin ?? schema, components);
  }
  return { $ref: `#/components/schemas/${name}` };
}

/** A field: a reference keeps the field's own description beside it, which takes an `allOf`. */
function field(schema: Schema, components: Components): unknown {
  if (schema.definition === undefined) return inline(schema, components);
  const { description, default: standard } = schema;
  const extras = Object.entries(schema).filter(([keyword]) => /^x-kubernetes-(list|patch)/.test(keyword));
  return {
    ...(description === undefined || description === schema.origin?.description ? {} : { description }),
    ...(standard === undefined ? {} : { default: standard }),
    ...Object.fromEntries(extras),
    allOf: [reference(schema, components)],
  };
}

function inline(schema: Schema, components: Components): Readonly<Record<string, unknown>> {
  const {
    definition: _d,
    origin: _o,
    proto: _p,
    zero: _z,
    properties,
    items,
    additionalProperties,
    ...rest
  } = schema;
  const type =
    schema['x-kubernetes-int-or-string'] === true
      ? { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' }
      : {};
  return {
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true && schema.type === undefined
      ? { type: 'object' }
      : {}),
    ...rest,
    ...type,
    ...(items === undefined ? {} : { items: field(items, components) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, field(property, components)]),
          ),
        }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean'
              ? additionalProperties
              : field(additionalProperties, components),
        }),
  };
}

const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) =>
  parameter(name, 'string'),
);
const patchParameters = [...writeParameters, parameter('force', 'boolean')];

function parameter(name: string, type: string): unknown {
  return { name, in: 'query', schema: { type, uniqueItems: true } };
}

function pathsOf(type: ResourceType, name: string): Readonly<Record<string, unknown>> {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  const base = type.namespaced ? `${root}/namespaces/{namespace}/${type.plural}` : `${root}/${type.plural}`;
  const operation = (action: string, parameters: readonly unknown[] = []) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind(type),
    parameters,
    responses: {
      200: {
        description: 'OK',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
    },
  });
  if (type.answer !== undefined) return { [base]: { post: operation('post', writeParameters) } };
  const one = {
    get: operation('get'),
    put: operation('put', writeParameters),
    patch: operation('patch', patchParameters),
    delete: operation('delete', [parameter('dryRun', 'string')]),
  };
  return {
    ...(type.namespaced ? { [`${root}/${type.plural}`]: { get: operation('list') } } : {}),
    [base]: {
      get: operation('list'),
      post: operation('post', writeParameters),
      delete: operation('deletecollection', [parameter('dryRun', 'string')]),
    },
    [`${base}/{name}`]: one,
    ...(type.status ? { [`${base}/{name}/status`]: { get: one.get, put: one.put, patch: one.patch } } : {}),
  };
}
