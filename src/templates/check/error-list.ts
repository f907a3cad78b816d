import type { TemplateError } from '../template-error.ts';

/** Most errors that are told of one configuration: whoever has more looks at the first ones first. */
const maxErrors = 100;
const maxMessage = 500;

export interface ErrorList {
  /** Each error once, and at most a hundred. */
  add(error: TemplateError): void;
  /** In order of template, line and column. */
  sorted(): readonly TemplateError[];
}

/** What is wrong with templates, in as many words as a status can hold. */
export function createErrorList(): ErrorList {
  const errors = new Map<string, TemplateError>();
  return {
    add: ({ template, line, column, message }) => {
      if (errors.size >= maxErrors) return;
      const short = message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
      errors.set(`${template}\0${line}\0${column}\0${short}`, { template, line, column, message: short });
    },
    sorted: () => [...errors.values()].sort(byPlace),
  };
}

function byPlace(a: TemplateError, b: TemplateError): number {
  if (a.template !== b.template) return a.template < b.template ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
