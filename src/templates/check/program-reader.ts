import type { ErrorList } from './error-list.ts';
import { parseTemplate } from './parse-template.ts';
import { sizeOfTemplate } from './size-of-template.ts';

/** Most expressions of all templates of a configuration together. */
const maxExpressions = 50_000;

/** The syntax tree of a template or snippet; undefined for one that has none, which is reported once. */
export type ProgramReader = (
  kind: 'template' | 'snippet',
  name: string,
  source: string,
) => hbs.AST.Program | undefined;

/** Parses each template once. What is too large, by itself or with all others, is not parsed. */
export function createProgramReader(errors: ErrorList): ProgramReader {
  const parsed = new Map<string, hbs.AST.Program | undefined>();
  let expressions = 0;

  const parse = (template: string, source: string): hbs.AST.Program | undefined => {
    const size = sizeOfTemplate(source);
    const before = expressions;
    expressions += size.expressions;
    if (size.excess !== undefined) {
      errors.add({ template, ...size.excess });
      return undefined;
    }
    if (expressions > maxExpressions) {
      const message = `all templates together have more than ${maxExpressions} expressions`;
      if (before <= maxExpressions) errors.add({ template, line: 1, column: 1, message });
      return undefined;
    }
    const result = parseTemplate(template, source);
    if ('body' in result) return result;
    errors.add(result);
    return undefined;
  };

  return (kind, name, source) => {
    // A snippet may have the name of a template.
    const key = `${kind} ${name}`;
    if (!parsed.has(key)) parsed.set(key, parse(name, source));
    return parsed.get(key);
  };
}
