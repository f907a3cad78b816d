import { CodedError } from '../lib/coded-error.ts';

/** A point in a template; `line` and `column` count from 1. */
export interface TemplatePlace {
  readonly template: string;
  readonly line: number;
  readonly column: number;
}

/** Something wrong with a template that is known before it runs. */
export interface TemplateError extends TemplatePlace {
  readonly message: string;
}

/** All errors of a configuration at once, in order of place: `HAPTIC_ERR_TEMPLATE_INVALID`. */
export function templateInvalid(errors: readonly TemplateError[]): CodedError {
  const lines = errors.map((error) => `${error.template}:${error.line}:${error.column}: ${error.message}`);
  return new CodedError('HAPTIC_ERR_TEMPLATE_INVALID', lines.join('\n'), { cause: errors });
}

/** The list behind a `HAPTIC_ERR_TEMPLATE_INVALID`; empty for any other error. */
export function templateErrorsOf(error: unknown): readonly TemplateError[] {
  if (!(error instanceof CodedError) || error.code !== 'HAPTIC_ERR_TEMPLATE_INVALID') return [];
  return Array.isArray(error.cause) ? (error.cause as readonly TemplateError[]) : [];
}
