import { matchesSnippet } from '../snippet-pattern.ts';
import type { TemplateError } from '../template-error.ts';

export interface LintInput {
  readonly snippets: readonly string[];
  /** Extension points that templates print. */
  readonly patterns: readonly string[];
  /** Snippets that templates reach, by name or by an extension point. */
  readonly called: ReadonlySet<string>;
}

/**
 * What works but is hardly meant: numbers that are not of three digits (snippets of a point are ordered as texts, so 50 comes after
 * 100), extension points that no template prints, and snippets that nothing reaches. In order of name.
 */
export function lintSnippets({ snippets, patterns, called }: LintInput): readonly TemplateError[] {
  return [...snippets].sort().flatMap((name): TemplateError[] => {
    const warn = (message: string): TemplateError[] => [{ template: name, line: 1, column: 1, message }];
    const [, point, digits] = /^(.+?)-(\d+)(?:-|$)/.exec(name) ?? [];
    if (point !== undefined && digits !== undefined) {
      const isPrinted = patterns.some((pattern) => pattern.endsWith('*') && matchesSnippet(pattern, name));
      if (isPrinted && digits.length !== 3)
        return warn(
          `the number ${digits} has not three digits: snippets of ${point}-* are printed in the order of their names, as texts`,
        );
      if (!isPrinted && !called.has(name)) return warn(`no template prints the extension point ${point}-*`);
      return [];
    }
    return called.has(name) ? [] : warn('no template uses this snippet');
  });
}
