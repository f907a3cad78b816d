import type { TemplateConfig, ValidationTest } from '../api/template-config.ts';
import { capabilitiesOf } from '../plan/capabilities.ts';

/** The configuration that a test renders: with its `extraContext` over that of the configuration, key by key. */
export function testConfig(
  config: TemplateConfig,
  { extraContext }: Pick<ValidationTest, 'extraContext'>,
): TemplateConfig {
  if (extraContext === undefined) return config;
  const { templatingSettings } = config;
  return {
    ...config,
    templatingSettings: {
      ...templatingSettings,
      extraContext: { ...templatingSettings.extraContext, ...extraContext },
    },
  };
}

/** Version that templates see where neither the test nor a HAProxy says one. */
const newestLine = '3.4';

/**
 * What templates know of HAProxy in a test: the capabilities of the version that the test names, else of the one at hand, with those
 * that the test replaces.
 */
export function testConstants(
  test: Pick<ValidationTest, 'haproxyVersion' | 'capabilities'>,
  atHand: string | undefined,
): { readonly capabilities: Readonly<Record<string, unknown>> } {
  const version = test.haproxyVersion ?? atHand ?? newestLine;
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version }, []);
  return { capabilities: { ...capabilities, ...test.capabilities } };
}
