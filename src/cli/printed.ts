import { stringify } from 'yaml';

/** An answer in the format of `-o`, with a line end. */
export function printed(format: string, answer: unknown, text: () => string): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(answer, undefined, 2)}\n`;
    case 'yaml':
      return stringify(answer);
    default:
      return text();
  }
}
