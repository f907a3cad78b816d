import { toYaml } from '../lib/to-yaml.ts';

/** An answer in the format of `-o`, with a line end. */
export function printed(format: string, answer: unknown, text: () => string): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(answer, undefined, 2)}\n`;
    case 'yaml':
      return toYaml(answer);
    default:
      return text();
  }
}
