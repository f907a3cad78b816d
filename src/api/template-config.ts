import type { FromSchema } from './from-schema.ts';
import type { templateConfigSchema } from './template-config-schema.ts';

/**
 * The configuration in the field names of HAProxyTemplateConfig.spec (haproxy-haptic.org/v1alpha1): libraries merged, defaults
 * applied. What each field means stands in {@link templateConfigSchema} and docs/crd-reference.md. Durations are texts as Go
 * writes them: `60s`, `2m`, `0`.
 */
export type TemplateConfig = FromSchema<typeof templateConfigSchema>;

export type DataplaneConfig = TemplateConfig['dataplane'];
export type HttpContentConfig = TemplateConfig['httpContent'];
export type WatchedResource = TemplateConfig['watchedResources'][string];
export type PostProcessing = NonNullable<TemplateConfig['haproxyConfig']['postProcessing']>[number];
export type ValidationTest = TemplateConfig['validationTests'][string];
export type HttpResourceFixture = NonNullable<ValidationTest['httpResources']>[number];
export type Assertion = NonNullable<ValidationTest['assertions']>[number];
export type AssertionType = Assertion['type'];
export type TrafficRequest = NonNullable<Assertion['request']>;
export type TrafficExpectation = NonNullable<Assertion['expect']>;
