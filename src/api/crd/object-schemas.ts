import { libraryFields } from '../library-fields.ts';
import { templateLibrarySchema } from '../schema/template-library-schema.ts';
import type { StructuralSchema, ValidationRule } from '../structural-schema.ts';
import { templateConfigSchema } from '../template-config-schema.ts';
import { tellDefaults } from './tell-defaults.ts';

const oneVersion = 'has(self.apiVersion) != has(self.apiVersions)';
const notTwoVersions: ValidationRule = {
  rule: '!(has(self.apiVersion) && has(self.apiVersions))',
  message: 'set either apiVersion or apiVersions',
};

/**
 * `spec` of HAProxyTemplateConfig and HAProxyTemplateLibrary as one object may have it, before libraries are merged. Fields carry no default: filled
 * in by the API server it would hide what a lower library says. Nothing is required that a library may bring.
 */
export const objectSchemas: {
  readonly templateConfig: StructuralSchema;
  readonly templateLibrary: StructuralSchema;
} = {
  templateConfig: {
    type: 'object',
    description: 'The configuration.',
    properties: { ...tellDefaults(templateConfigSchema).properties, ...shared() },
    'x-kubernetes-validations': wholeWithoutLibraries(),
  },
  templateLibrary: {
    type: 'object',
    description: 'Templates and what they need, for configurations to build on.',
    required: ['revision'],
    properties: { revision: templateLibrarySchema.revision, ...shared() },
  },
};

function shared(): Readonly<Record<string, StructuralSchema>> {
  return Object.fromEntries(
    libraryFields.map((field) => {
      const schema: StructuralSchema = templateConfigSchema.properties[field];
      return [field, tellDefaults(field === 'watchedResources' ? partialResources(schema) : schema)];
    }),
  );
}

/** An entry may add to one of a library, so that only what contradicts itself is wrong. */
function partialResources(schema: StructuralSchema): StructuralSchema {
  const { additionalProperties: entry } = schema;
  if (entry === undefined) return schema;
  const { required: _required, 'x-kubernetes-validations': rules = [], ...rest } = entry;
  return {
    ...schema,
    additionalProperties: {
      ...rest,
      'x-kubernetes-validations': rules.map((rule) => (rule.rule === oneVersion ? notTwoVersions : rule)),
    },
  };
}

function wholeWithoutLibraries(): readonly ValidationRule[] {
  const unlessLibraries = 'has(self.libraryRefs) && size(self.libraryRefs) > 0 || ';
  // The list of one gives the entry a name: has() of an indexed expression is not understood by every evaluator.
  const everyEntry = (condition: string, message: string): ValidationRule => ({
    rule: `${unlessLibraries}!has(self.watchedResources) || self.watchedResources.all(name, [self.watchedResources[name]].all(entry, ${condition}))`,
    message: `every entry needs ${message}, where no library of libraryRefs brings it`,
    fieldPath: '.watchedResources',
  });
  return [
    {
      rule: `${unlessLibraries}has(self.haproxyConfig)`,
      message: 'haproxyConfig is required where no library of libraryRefs brings it',
      fieldPath: '.haproxyConfig',
    },
    everyEntry('has(entry.apiVersion) || has(entry.apiVersions)', 'either apiVersion or apiVersions'),
    everyEntry('has(entry.resources)', 'resources'),
  ];
}
