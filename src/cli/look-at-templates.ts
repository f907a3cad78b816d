import type { TemplateConfig } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { buildWorld } from '../world/build-world.ts';
import { newestConstants } from './newest-constants.ts';
import { templateTexts } from '../world/template-texts.ts';

export interface TemplateRemarks {
  /** What could not work whatever there is to render, one line each. */
  readonly errors: readonly string[];
  /** What fails in the text around fragments, which may be what a test expects. */
  readonly faults: readonly string[];
  /** What works but is hardly meant. */
  readonly warnings: readonly string[];
}

/** What can be said of the templates of a configuration without any object. */
export function lookAtTemplates(
  config: TemplateConfig,
  sourceOfTemplate: (template: string) => string,
): TemplateRemarks {
  try {
    const world = buildWorld({ config, constants: newestConstants() });
    const warnings = world.renderer.warnings.map(
      ({ template, message }) => `${sourceOfTemplate(template)}: ${message}`,
    );
    world.dispose();
    return { errors: [], faults: [], warnings };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const texts = templateTexts(error, sourceOfTemplate);
    return error.code === 'HAPTIC_ERR_TEMPLATE_INVALID'
      ? { errors: texts, faults: [], warnings: [] }
      : { errors: [], faults: texts, warnings: [] };
  }
}
