import Handlebars from 'handlebars';
import { errorMessage } from '../../lib/error-message.ts';
import type { TemplateError } from '../template-error.ts';

/** The syntax tree of a template, for checks only: what runs is compiled from the text. */
export function parseTemplate(name: string, source: string): hbs.AST.Program | TemplateError {
  try {
    return Handlebars.parse(source);
  } catch (error) {
    return { template: name, ...placeOf(error, source), message: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  const text = errorMessage(error);
  if (text.startsWith('Parse error')) {
    const unexpected = /got '([^']*)'/.exec(text)?.[1] ?? 'INVALID';
    return unexpected === 'INVALID' ? 'syntax error' : `syntax error, unexpected ${unexpected}`;
  }
  return text.replace(/ - \d+:\d+$/, '');
}

function placeOf(error: unknown, source: string): { line: number; column: number } {
  if (error instanceof Handlebars.Exception && typeof error.lineNumber === 'number')
    return { line: error.lineNumber, column: Number(error.column ?? 0) + 1 };
  const text = error instanceof Error ? error.message : '';
  const line = Number(/on line (\d+)/.exec(text)?.[1] ?? 1);
  return { line, column: caretColumn(text, source.split('\n')[line - 1] ?? '') };
}

/** The parser shows the last characters before the error above a caret; they are looked up in the line. */
function caretColumn(message: string, line: string): number {
  const [, excerpt = '', pointer = ''] = message.split('\n');
  const before = excerpt.slice(0, pointer.indexOf('^')).replace(/^\.\.\./, '');
  const at = before === '' ? -1 : line.indexOf(before);
  return at < 0 ? 1 : at + before.length + 1;
}
