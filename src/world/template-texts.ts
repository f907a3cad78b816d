import { CodedError } from '../lib/coded-error.ts';
import { templateErrorsOf } from '../templates/template-error.ts';

/**
 * What is wrong with templates, one text each, with the place where that stands: `library base/snippet frontends-500:3:7: …`. An error
 * that is none of theirs is thrown on.
 */
export function templateTexts(
  error: unknown,
  sourceOfTemplate: (template: string) => string,
): readonly string[] {
  if (!(error instanceof CodedError)) throw error;
  const faults = templateErrorsOf(error);
  if (faults.length === 0) return [error.message];
  return faults.map(
    ({ template, line, column, message }) => `${sourceOfTemplate(template)}:${line}:${column}: ${message}`,
  );
}
