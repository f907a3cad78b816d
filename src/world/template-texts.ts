import { CodedError } from '../lib/coded-error.ts';
import { renderFaultOf } from '../templates/render-fault.ts';
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
  if (faults.length === 0) return [faultText(error, sourceOfTemplate)];
  return faults.map(
    ({ template, line, column, message }) => `${sourceOfTemplate(template)}:${line}:${column}: ${message}`,
  );
}

/** Of what failed in a run the place is one text. */
function faultText(error: CodedError, sourceOfTemplate: (template: string) => string): string {
  const fault = renderFaultOf(error);
  const [, template, at] = /^(.*):(\d+:\d+)$/.exec(fault?.place ?? '') ?? [];
  if (fault === undefined || template === undefined || at === undefined) return error.message;
  return `${sourceOfTemplate(template)}:${at}: ${fault.message}`;
}
