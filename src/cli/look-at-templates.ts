import type { TemplateConfig } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { buildWorld } from '../world/build-world.ts';
import { templateTexts } from '../world/template-texts.ts';

export interface TemplateRemarks {
  /** What could not work whatever there is to render, one line each. */
  readonly errors: readonly string[];
  /** What works but is hardly meant. */
  readonly warnings: readonly string[];
}

/**
 * What can be said of the templates of a configuration without any object. A fault of the text around fragments is left to whoever runs
 * them, since it may be what a test expects.
 */
export function lookAtTemplates(
  config: TemplateConfig,
  sourceOfTemplate: (template: string) => string,
): TemplateRemarks {
  try {
    const world = buildWorld({ config, constants: {} });
    const warnings = world.renderer.warnings.map(
      ({ template, message }) => `${sourceOfTemplate(template)}: ${message}`,
    );
    world.dispose();
    return { errors: [], warnings };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const isInvalid = error.code === 'HAPTIC_ERR_TEMPLATE_INVALID';
    return { errors: isInvalid ? templateTexts(error, sourceOfTemplate) : [], warnings: [] };
  }
}
