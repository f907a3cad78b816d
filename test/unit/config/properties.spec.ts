import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectSchemas } from '../../../src/api/crd/object-schemas.ts';
import { libraryFields } from '../../../src/api/library-fields.ts';
import { templateConfigSchema } from '../../../src/api/template-config-schema.ts';
import { configErrorText } from '../../../src/config/config-error.ts';
import type { ConfigLibrary } from '../../../src/config/config-library.ts';
import { resolveConfig } from '../../../src/config/resolve-config.ts';
import type { Schema } from '../../../src/sandbox/api/schema.ts';
import { isRecord } from '../../../src/lib/is-record.ts';
import { applyDefaults } from '../../../src/sandbox/api/crd/structural-defaults.ts';
import { createStructuralValidator } from '../../../src/sandbox/api/crd/structural-validator.ts';
import { arbitraryOfSchema } from '../../fixtures/arbitrary-of-schema.ts';

const specs = arbitraryOfSchema(objectSchemas.templateConfig).filter(isRecord);
const librarySpecs = arbitraryOfSchema(objectSchemas.templateLibrary).filter(isRecord);
/** As an API server reads them. */
const configSchema = JSON.parse(JSON.stringify(objectSchemas.templateConfig)) as Schema;
/** With the defaults, which the controller fills in; not those of fields that libraries have, too. */
const schemaWithDefaults = JSON.parse(
  JSON.stringify({
    ...objectSchemas.templateConfig,
    properties: {
      ...templateConfigSchema.properties,
      ...Object.fromEntries(
        libraryFields.map((field) => [field, objectSchemas.templateConfig.properties?.[field]]),
      ),
    },
  }),
) as Schema;
const haproxyConfig = { template: 'global\n' };

/** The same without what breaks rules over several fields: what is left is right nearly always. */
function repaired(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { libraryRefs: _refs, crtLists: _lists, ...rest } = spec;
  const dropped: Readonly<Record<string, true>> = {
    apiVersions: true,
    namespaceSelector: true,
    labelSelector: true,
    fieldSelector: true,
    postProcessing: true,
    assertions: true,
    renewDeadline: true,
    leaseDuration: true,
    retryPeriod: true,
    reloadVerificationTimeout: true,
    minDeploymentInterval: true,
    overrides: true,
  };
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !Object.hasOwn(dropped, key))
        .map(([key, inner]) => [key, walk(inner)]),
    );
  };
  const entries = Object.entries(isRecord(rest['watchedResources']) ? rest['watchedResources'] : {});
  const watchedResources = Object.fromEntries(
    entries.map(([name, entry]) => [
      name,
      { ...(isRecord(entry) ? entry : {}), apiVersion: 'v1', resources: 'widgets', store: 'on-demand' },
    ]),
  );
  const validators = Array.isArray(rest['validators']) ? rest['validators'].slice(0, 1) : [];
  return walk({ haproxyConfig, ...rest, watchedResources, validators }) as Readonly<Record<string, unknown>>;
}

/** The configuration, or what is wrong with it. */
function meaning(spec: unknown, libraries: readonly ConfigLibrary[] = []): unknown {
  const resolved = resolveConfig({ name: 'web', spec, libraries });
  return resolved.ok ? resolved.config : resolved.errors.map(configErrorText);
}

describe('whatever a configuration says', () => {
  it('means the same with its defaults written out', () => {
    const validate = createStructuralValidator({
      type: 'object',
      properties: { spec: configSchema },
    });
    let taken = 0;
    fc.assert(
      fc.property(specs, (spec) => {
        const own = repaired(spec);
        const filled = applyDefaults(structuredClone(own), schemaWithDefaults);
        // What the API server refuses never comes here.
        if (validate({ spec: filled }).length > 0) return;
        taken += 1;
        expect(meaning(filled)).toStrictEqual(meaning(own));
      }),
      { numRuns: 100 },
    );
    expect(taken).toBeGreaterThan(50);
  });

  it('means the same on a library, with its defaults written out', () => {
    fc.assert(
      fc.property(specs, librarySpecs, (spec, below) => {
        const own = { ...repaired(spec), libraryRefs: [{ name: 'base', revision: '1' }] };
        const libraries = [{ name: 'base', revision: '1', spec: repaired(below) }];
        const filled = applyDefaults(structuredClone(own), schemaWithDefaults);
        expect(meaning(filled, libraries)).toStrictEqual(meaning(own, libraries));
      }),
      { numRuns: 100 },
    );
  });

  it('is resolved to a configuration that resolves to itself', () => {
    fc.assert(
      fc.property(specs, (spec) => {
        const resolved = resolveConfig({ name: 'web', spec: repaired(spec), libraries: [] });
        fc.pre(resolved.ok);
        expect(meaning(resolved.config)).toStrictEqual(resolved.config);
      }),
      { numRuns: 50 },
    );
  });

  it('is answered, and each error names an object and is one line', () => {
    const anything = fc.jsonValue({ maxDepth: 6 });
    const mixed = fc.oneof(
      anything,
      fc
        .tuple(
          specs,
          fc.constantFrom(...Object.keys(objectSchemas.templateConfig.properties ?? {})),
          anything,
        )
        .map(([spec, field, value]) => ({ ...spec, [field]: value })),
    );
    fc.assert(
      fc.property(mixed, mixed, (spec, library) => {
        const resolved = resolveConfig({
          name: 'web',
          spec,
          libraries: [{ name: 'a', revision: 'a', spec: library }],
        });
        if (resolved.ok) return;
        expect(resolved.errors.length).toBeGreaterThan(0);
        for (const error of resolved.errors)
          expect(configErrorText(error)).toMatch(/^(HAProxyTemplateConfig web|library a): spec.* .+$/);
      }),
      { numRuns: 200 },
    );
  });
});
