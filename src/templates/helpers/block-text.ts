/** Directives as they go into a section: one per line, indented by four, without blank lines and comments. */
export function directivesOf(body: string): string {
  return body
    .split('\n')
    .map((line) => line.trimStart().replace(/(?<!\\)\s+$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => `    ${line}\n`)
    .join('');
}
