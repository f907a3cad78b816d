const header =
  /^(?:global|defaults|frontend|listen|backend|userlist|resolvers|peers|mailers|cache|ring|program|http-errors|log-forward|log-profile|fcgi-app|crt-store|traces|acme|healthcheck)\b/;

/** A piece of core text and the header line it begins with, if any. */
export interface CoreText {
  readonly name: string | undefined;
  readonly text: string;
}

/** Lines without trailing blanks, at most one empty line in a row. Text that does not end in a line break keeps its end. */
export function tidy(text: string): string {
  return text
    .replace(/[ \t]+$/gm, (blanks, at: number) => (text[at + blanks.length] === '\n' ? '' : blanks))
    .replace(/\n{3,}/g, '\n\n');
}

/** Lines of a fragment without the empty ones that statements leave behind; nothing if only blanks are left. */
export function withoutEmptyLines(text: string): string {
  if (text.trim() === '') return '';
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  const last = lines.length - 1;
  return lines
    .filter((line, index) => index === last || line.trim() !== '')
    .join('\n')
    .replace(/\n[ \t]+$/, '\n');
}

/** Cuts text of a whole template before each section header, so that each is a section with a name. */
export function cutAtHeaders(text: string): readonly CoreText[] {
  const cuts: { name: string | undefined; lines: string[] }[] = [{ name: undefined, lines: [] }];
  for (const line of text.split(/(?<=\n)/)) {
    if (header.test(line)) cuts.push({ name: line.trim().replace(/\s+/g, ' '), lines: [] });
    cuts.at(-1)?.lines.push(line);
  }
  return cuts.map(({ name, lines }) => ({ name, text: lines.join('') })).filter((cut) => cut.text !== '');
}
