import type { PostProcessing } from '../api/template-config.ts';
import { linearRegex } from '../lib/linear-regex.ts';

/** What `postProcessing` of an output does to its text, line by line. */
export type PostProcess = (text: string) => string;

/**
 * The steps as one. A RangeError names the step and what is wrong with its expression. Undefined: there is nothing to do.
 *
 * It sees text that templates print. What they declare (`backend`, `server`, `profile`, `mapEntry`, …) is printed by HAPTIC itself,
 * and has to stay what the plan says.
 */
export function postProcess(steps: readonly PostProcessing[] = []): PostProcess | undefined {
  if (steps.length === 0) return undefined;
  const replacements = steps.map(({ params }, index) => {
    const { pattern = '', replace = '' } = params;
    if (pattern === '^[ ]+' && !replace.includes('$'))
      return (line: string) => (line.startsWith(' ') ? replace + line.replace(/^ +/, '') : line);
    try {
      const regex = linearRegex(pattern);
      return (line: string) => regex.replaceAll(line, replace);
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      throw new RangeError(`postProcessing[${index}].params.pattern: ${reason}`, { cause: error });
    }
  });
  return (text) =>
    text
      .split('\n')
      .map((line) => replacements.reduce((changed, replaceIn) => replaceIn(changed), line))
      .join('\n');
}
