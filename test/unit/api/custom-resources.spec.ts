import { parse } from '@marcbachmann/cel-js';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { FromSchema } from '../../../src/api/from-schema.ts';
import { customResourceDefinition } from '../../../src/api/crd/custom-resource-definition.ts';
import { customResources } from '../../../src/api/crd/custom-resources.ts';
import { objectSchemas } from '../../../src/api/crd/object-schemas.ts';
import { tellDefaults } from '../../../src/api/crd/tell-defaults.ts';
import { libraryFields } from '../../../src/api/library-fields.ts';
import type { StructuralSchema } from '../../../src/api/structural-schema.ts';
import type { Condition } from '../../../src/api/template-config-status.ts';
import type { TemplateConfig, WatchedResource } from '../../../src/api/template-config.ts';

interface Place {
  readonly path: string;
  readonly schema: StructuralSchema;
}

function places(path: string, schema: StructuralSchema): readonly Place[] {
  const { properties = {}, additionalProperties, items } = schema;
  return [
    { path, schema },
    ...Object.entries(properties).flatMap(([name, property]) => places(`${path}.${name}`, property)),
    ...(additionalProperties === undefined ? [] : places(`${path}.*`, additionalProperties)),
    ...(items === undefined ? [] : places(`${path}[]`, items)),
  ];
}

describe.each(customResources)('$kind', ({ kind, plural, singular, shortNames, columns, spec, status }) => {
  const all = [...places('spec', spec), ...places('status', status)];

  it('is named as Kubernetes wants it', () => {
    expect(kind.toLowerCase()).toBe(singular);
    expect([`${singular}s`, singular.replace(/y$/, 'ies')]).toContain(plural);
    expect(shortNames.length).toBeGreaterThan(0);
  });

  it('has short names that no other kind has', () => {
    const others = customResources
      .filter((other) => other.kind !== kind)
      .flatMap((other) => other.shortNames);
    expect(shortNames.filter((name) => others.includes(name))).toStrictEqual([]);
  });

  it('describes every field', () => {
    const silent = all
      .filter(({ path, schema }) => schema.description === undefined && !/(\.\*|\[\])$/.test(path))
      .map(({ path }) => path);
    expect(silent).toStrictEqual([]);
  });

  it('is structural: fields or names, never both, and items for every list', () => {
    for (const { path, schema } of all) {
      expect(schema.properties !== undefined && schema.additionalProperties !== undefined, path).toBe(false);
      if (schema.type === 'array') expect(schema.items, path).toBeDefined();
      for (const name of schema.required ?? [])
        expect(Object.keys(schema.properties ?? {}), path).toContain(name);
    }
  });

  it('asks in its rules for no field that may be missing', () => {
    for (const { path, schema } of all)
      for (const { rule } of schema['x-kubernetes-validations'] ?? [])
        for (const [, field = ''] of rule.matchAll(/self\.([A-Za-z]+)/g))
          if (schema.required?.includes(field) !== true)
            expect(rule, `${path}: ${field}`).toContain(`has(self.${field})`);
  });

  it('has rules that parse, on fields that there are', () => {
    for (const { path, schema } of all)
      for (const { rule, message, fieldPath } of schema['x-kubernetes-validations'] ?? []) {
        expect(() => parse(rule), `${path}: ${rule}`).not.toThrow();
        expect(message, path).not.toBe('');
        if (fieldPath !== undefined)
          expect(Object.keys(schema.properties ?? {}), path).toContain(fieldPath.slice(1).split('.')[0]);
      }
  });

  it('bounds every list and map around a rule, which the API server prices by them', () => {
    const unbounded = (schema: StructuralSchema, path: string): readonly string[] => [
      ...(schema.items !== undefined && hasRules(schema.items) && schema.maxItems === undefined
        ? [path]
        : []),
      ...(schema.additionalProperties !== undefined &&
      hasRules(schema.additionalProperties) &&
      schema.maxProperties === undefined
        ? [path]
        : []),
    ];
    expect(all.flatMap(({ schema, path }) => unbounded(schema, path))).toStrictEqual([]);
  });

  it('prints columns of fields that there are, and its age', () => {
    for (const { jsonPath } of columns) {
      const path = jsonPath.slice(1).replace(/\[\?.*?\]/g, '[]');
      expect(all.map((place) => place.path)).toContain(path);
    }
    const crd = customResourceDefinition(customResources.find((resource) => resource.kind === kind)!);
    expect(crd).toMatchObject({
      metadata: { name: `${plural}.haproxy-haptic.org` },
      spec: {
        scope: 'Namespaced',
        names: { categories: ['haptic'] },
        versions: [{ subresources: { status: {} } }],
      },
    });
    expect(JSON.stringify(crd)).toContain('.metadata.creationTimestamp');
  });

  it('has conditions by type, with the generation that they speak of', () => {
    expect(status.properties?.['observedGeneration']).toMatchObject({ type: 'integer', format: 'int64' });
    expect(status.properties?.['conditions']).toMatchObject({
      'x-kubernetes-list-map-keys': ['type'],
      items: { properties: { observedGeneration: { type: 'integer' } } },
    });
  });
});

function hasRules(schema: StructuralSchema): boolean {
  return places('', schema).some((place) => place.schema['x-kubernetes-validations'] !== undefined);
}

describe('what a library and a configuration have in common', () => {
  const shared = (schema: StructuralSchema) => libraryFields.map((field) => schema.properties?.[field]);

  it('is the same in both', () => {
    expect(shared(objectSchemas.templateConfig)).toStrictEqual(shared(objectSchemas.templateLibrary));
    expect(Object.keys(objectSchemas.templateLibrary.properties ?? {})).toStrictEqual([
      'revision',
      ...libraryFields,
    ]);
  });

  it('is filled in by nobody, since an older controller knows no newer fields', () => {
    for (const schema of Object.values(objectSchemas))
      expect(places('spec', schema).filter(({ schema: place }) => 'default' in place)).toStrictEqual([]);
  });

  it('tells the defaults', () => {
    const all = shared(objectSchemas.templateLibrary).flatMap((schema) =>
      schema === undefined ? [] : places('', schema),
    );
    expect(all.length).toBeGreaterThan(50);
    const { watchedResources } = objectSchemas.templateLibrary.properties ?? {};
    expect(watchedResources?.additionalProperties?.properties?.['store']?.description).toMatch(
      /Default: full\.$/,
    );
  });

  it('may be said in part', () => {
    const { watchedResources, haproxyConfig } = objectSchemas.templateConfig.properties ?? {};
    expect(watchedResources?.additionalProperties).not.toHaveProperty('required');
    expect(haproxyConfig?.required).toStrictEqual(['template']);
    expect(objectSchemas.templateConfig).not.toHaveProperty('required');
  });
});

describe('a default', () => {
  const told = (value: unknown): StructuralSchema =>
    tellDefaults({ type: 'string', description: 'A field.', default: value });

  it.each([
    ['a', 'A field. Default: a.'],
    [5, 'A field. Default: 5.'],
    [false, 'A field. Default: false.'],
    [0, 'A field. Default: 0.'],
    [['a'], 'A field. Default: ["a"].'],
    ['', 'A field.'],
    [{}, 'A field.'],
    [[], 'A field.'],
    [undefined, 'A field.'],
  ])('%j is told as %s', (value, description) => {
    expect(told(value).description).toBe(description);
  });

  it('goes, at every depth', () => {
    const schema: StructuralSchema = {
      type: 'object',
      default: {},
      properties: { a: { type: 'array', items: { type: 'string', default: 'x' } } },
      additionalProperties: { type: 'integer', default: 1 },
    };
    expect(JSON.stringify(tellDefaults(schema))).not.toContain('"default"');
  });
});

describe('types', () => {
  it('are those of the schema', () => {
    expectTypeOf<TemplateConfig['dataplane']['port']>().toEqualTypeOf<number>();
    expectTypeOf<TemplateConfig['controller']['leaderElection']['enabled']>().toEqualTypeOf<boolean>();
    expectTypeOf<TemplateConfig['templatingSettings']['engine']>().toEqualTypeOf<'handlebars'>();
    expectTypeOf<TemplateConfig['templatingSettings']['extraContext']>().toEqualTypeOf<
      Readonly<Record<string, unknown>>
    >();
    expectTypeOf<TemplateConfig['credentialsSecretRef']>().extract<object>().toHaveProperty('name');
    expectTypeOf<TemplateConfig['validators'][number]['files']>().toEqualTypeOf<readonly string[]>();
  });

  it('let entries of maps leave out what has a default, and nothing else', () => {
    expectTypeOf<WatchedResource['resources']>().toEqualTypeOf<string>();
    expectTypeOf<{ resources: 'x' }>().toExtend<WatchedResource>();
    expectTypeOf<{ apiVersion: 'v1' }>().not.toExtend<WatchedResource>();
    expectTypeOf<WatchedResource['store']>().toEqualTypeOf<'full' | 'on-demand' | undefined>();
    expectTypeOf<Condition['status']>().toEqualTypeOf<'True' | 'False' | 'Unknown'>();
  });

  it('know required, defaulted and optional fields apart', () => {
    interface Schema {
      readonly type: 'object';
      readonly required: readonly ['a'];
      readonly properties: {
        readonly a: { readonly type: 'string' };
        readonly b: { readonly type: 'integer'; readonly default: 1 };
        readonly c: { readonly type: 'boolean' };
      };
    }
    expectTypeOf<FromSchema<Schema>>().toEqualTypeOf<{
      readonly a: string;
      readonly b: number;
      readonly c?: boolean;
    }>();
  });
});
