import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import type { ErrorPage } from '../error-page.ts';

/** It is part of the configuration, and an answer has to fit one of HAProxy's buffers. */
const mostBytes = 4096;
const typeLine = /^content-type:[ \t]*([\w.+-]+\/[\w.+-]+(?:;[ \t]*charset=[\w-]+)?)[ \t]*$/i;
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/;

/** A body, perhaps after a line that says its type and an empty one. */
export function errorPage(text: string): Parsed<ErrorPage> {
  const all = text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n');
  const named = typeLine.exec(all[0] ?? '')?.[1];
  if (/^content-type:/i.test(all[0] ?? '') && (named === undefined || all[1]?.trim() !== ''))
    return {
      fault: `must begin with "Content-Type: text/html" and an empty line, or with the body: ${showValue(text)}`,
    };
  const lines = named === undefined ? all : all.slice(2);
  const body = lines.join('\n');
  if (body.trim() === '') return { fault: 'must have a body' };
  if (Buffer.byteLength(body) > mostBytes)
    return { fault: `has ${Buffer.byteLength(body)} bytes, more than ${mostBytes}` };
  if (control.test(body) || !body.isWellFormed()) return { fault: 'must be text without control characters' };
  return { value: { type: named ?? 'text/plain; charset=utf-8', lines } };
}
