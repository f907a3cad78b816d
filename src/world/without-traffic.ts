import type { TemplateConfig } from '../api/template-config.ts';

/**
 * The same configuration without `traffic` assertions in its tests: a HAProxy that answers requests may answer with any file of the
 * controller's container.
 */
export function withoutTraffic(config: TemplateConfig): TemplateConfig {
  const tests = Object.entries(config.validationTests).map(([name, test]) => {
    const { assertions = [] } = test;
    const kept = assertions.filter(({ type }) => type !== 'traffic');
    return [name, kept.length === assertions.length ? test : { ...test, assertions: kept }] as const;
  });
  return { ...config, validationTests: Object.fromEntries(tests) };
}
