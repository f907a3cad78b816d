import type { FromSchema } from './from-schema.ts';
import type { templateConfigSchema } from './template-config-schema.ts';

/**
 * The configuration in the field names of HAProxyTemplateConfig.spec (haproxy-haptic.org/v1alpha1): libraries merged, defaults
 * applied. What each field means stands in {@link templateConfigSchema} and docs/crd-reference.md. Durations are texts as Go
 * writes them: `60s`, `2m`, `0`.
 */
export type TemplateConfig = FromSchema<typeof templateConfigSchema>;

export type ControllerConfig = TemplateConfig['controller'];
export type DataplaneConfig = TemplateConfig['dataplane'];
export type HttpContentConfig = TemplateConfig['httpContent'];
export type ValidatorConfig = TemplateConfig['validators'][number];
export type LibraryRef = TemplateConfig['libraryRefs'][number];
export type WatchedResource = TemplateConfig['watchedResources'][string];
export type TemplateSnippet = TemplateConfig['templateSnippets'][string];
export type MapOutput = TemplateConfig['maps'][string];
export type FileOutput = TemplateConfig['files'][string];
export type CertificateOutput = TemplateConfig['sslCertificates'][string];
export type CrtListOutput = TemplateConfig['crtLists'][string];
export type K8sResourceOutput = TemplateConfig['k8sResources'][string];
export type PostProcessing = NonNullable<TemplateConfig['haproxyConfig']['postProcessing']>[number];
export type ValidationTest = TemplateConfig['validationTests'][string];
export type HttpResourceFixture = NonNullable<ValidationTest['httpResources']>[number];
export type Assertion = NonNullable<ValidationTest['assertions']>[number];
export type AssertionType = Assertion['type'];
export type TrafficRequest = NonNullable<Assertion['request']>;
export type TrafficAnswer = NonNullable<TrafficRequest['answer']>;
export type TrafficExpectation = NonNullable<Assertion['expect']>;
export type TrafficSeen = NonNullable<TrafficExpectation['request']>;
