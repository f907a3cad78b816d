import type { SourceRange } from './handlebars-engine.ts';

/** The expression at a place of a template, on one line and not too long: for messages. O(its lines). */
export function expressionAt(all: readonly string[], { start, end }: SourceRange): string {
  const lines = all.slice(start.line - 1, end.line);
  const last = lines.length - 1;
  if (last < 0) return '';
  lines[last] = lines[last]?.slice(0, end.column) ?? '';
  lines[0] = lines[0]?.slice(start.column) ?? '';
  const text = lines.join(' ').replace(/\s+/g, ' ').trim();
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
