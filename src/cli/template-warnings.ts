import type { TemplateConfig } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { buildWorld } from '../world/build-world.ts';

/** What the templates of a configuration do that is hardly meant, as lines. Nothing if they are wrong: whoever runs them says so. */
export function templateWarnings(config: TemplateConfig): readonly string[] {
  try {
    const world = buildWorld({ config, constants: {} });
    const lines = world.renderer.warnings.map(({ template, message }) => `${template}: ${message}`);
    world.dispose();
    return lines;
  } catch (error) {
    if (error instanceof CodedError) return [];
    throw error;
  }
}
