import type { ApiObject } from '../api-object.ts';
import type { Cause } from '../api-status.ts';
import { builtinSchema } from '../builtin/builtin-schemas.ts';
import { defineType } from '../define-type.ts';
import { invalid, notSupported, required } from '../field-errors.ts';
import { getIn, isRecord, listOf, textOf } from '../json.ts';
import type { ResourceType } from '../resource-type.ts';
import { isDns1035Label, isDnsSubdomain } from '../validate-names.ts';

/** CustomResourceDefinition itself. */
export function crdType(): ResourceType {
  return defineType({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    status: true,
    generation: true,
    schema: builtinSchema('apiext.CustomResourceDefinition'),
    columns: [{ name: 'Created At', type: 'string', cell: (object) => object.metadata.creationTimestamp }],
    setDefaults: crdDefaults,
    validate: validateCrd,
  });
}

function crdDefaults(object: ApiObject): ApiObject {
  const spec = object['spec'];
  if (!isRecord(spec) || !isRecord(spec['names'])) return object;
  const kind = textOf(spec['names']['kind']);
  return {
    ...object,
    spec: {
      conversion: { strategy: 'None' },
      ...spec,
      names: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...spec['names'] },
    },
  };
}

function validateCrd(object: ApiObject): readonly Cause[] {
  const spec = object['spec'];
  if (!isRecord(spec)) return [required('spec')];
  const group = textOf(spec['group']);
  const plural = textOf(getIn(spec, ['names', 'plural']));
  const causes: Cause[] = [];
  const need = (ok: boolean, cause: Cause) => {
    if (!ok) causes.push(cause);
  };
  need(
    isDnsSubdomain(group) && group.includes('.'),
    invalid('spec.group', group, 'should be a domain with at least one dot'),
  );
  need(
    isDns1035Label(plural),
    invalid(
      'spec.names.plural',
      plural,
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-'",
    ),
  );
  need(textOf(getIn(spec, ['names', 'kind'])) !== '', required('spec.names.kind'));
  need(
    object.metadata.name === `${plural}.${group}`,
    invalid('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'),
  );
  need(
    spec['scope'] === 'Namespaced' || spec['scope'] === 'Cluster',
    notSupported('spec.scope', spec['scope'], ['Cluster', 'Namespaced']),
  );
  const versions = listOf(spec['versions']);
  need(
    versions.filter((version) => getIn(version, ['storage']) === true).length === 1,
    invalid(
      'spec.versions',
      versions.map((version) => getIn(version, ['name'])),
      'must have exactly one version marked as storage version',
    ),
  );
  versions.forEach((version, i) => {
    const schema = getIn(version, ['schema', 'openAPIV3Schema']);
    const at = `spec.versions[${i}].schema.openAPIV3Schema`;
    need(schema !== undefined, required(at, 'schemas are required'));
    if (schema === undefined) return;
    need(
      getIn(schema, ['type']) === 'object',
      invalid(`${at}.type`, getIn(schema, ['type']), 'must be object at the root'),
    );
    structuralCauses(schema, at, causes);
  });
  return causes;
}

/** What makes a schema structural: a type everywhere, and none of the keywords that forbid pruning. */
function structuralCauses(schema: unknown, at: string, causes: Cause[]): void {
  if (!isRecord(schema)) return;
  const free =
    schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true;
  if (typeof schema['type'] !== 'string' && !free)
    causes.push(required(`${at}.type`, 'must not be empty for specified object fields'));
  if (schema['$ref'] !== undefined)
    causes.push({
      reason: 'FieldValueForbidden',
      field: `${at}.$ref`,
      message: 'Forbidden: $ref is not supported',
    });
  if (isRecord(schema['properties']) && schema['additionalProperties'] !== undefined) {
    causes.push({
      reason: 'FieldValueForbidden',
      field: `${at}.additionalProperties`,
      message: 'Forbidden: additionalProperties and properties are mutual exclusive',
    });
  }
  if (isRecord(schema['properties'])) {
    for (const [name, property] of Object.entries(schema['properties']))
      structuralCauses(property, `${at}.properties[${name}]`, causes);
  }
  if (isRecord(schema['items'])) structuralCauses(schema['items'], `${at}.items`, causes);
  if (schema['type'] === 'array' && schema['items'] === undefined)
    causes.push(required(`${at}.items`, 'must be specified'));
  if (isRecord(schema['additionalProperties']))
    structuralCauses(schema['additionalProperties'], `${at}.additionalProperties`, causes);
}
