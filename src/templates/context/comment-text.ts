import { plainText } from './plain-text.ts';

/** A comment up to the end of its line. Nothing in it can become a directive, since it has no line break. */
export function commentText(value: unknown): string {
  return `# ${plainText(value)}`;
}
