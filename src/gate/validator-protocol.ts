import { valuesOf } from '../lib/ordered-map.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Plan, PlanFile } from '../protocol/plan.ts';
import type { HaproxyMessage } from './parse-haproxy-output.ts';

/** Which rendered files a validator gets. `*` in a path stands for any run of characters but `/`. */
export interface ValidatorFiles {
  readonly files: readonly string[];
  readonly dataFiles: readonly string[];
}

/** Longest answer that is read: a validator that has more to say is broken. */
export const maxAnswerBytes = 1024 * 1024;

/**
 * The request: one line of JSON, `{version, id, files: [{path, kind, role, encoding, content}]}`. `role` is `file` for what is to be
 * judged and `data` for what helps to. Content that is no UTF-8 is sent in base64.
 */
export function validatorRequest(plan: Plan, { files, dataFiles }: ValidatorFiles): string {
  const judged = matcher(files);
  const helping = matcher(dataFiles);
  const sent = [...valuesOf(plan.files)].flatMap((file) => {
    const role = judged(file.path) ? 'file' : helping(file.path) ? 'data' : undefined;
    return role === undefined ? [] : [{ path: file.path, kind: file.kind, role, ...contentOf(file) }];
  });
  return `${JSON.stringify({ version: 1, id: plan.id, files: sent })}\n`;
}

/**
 * The answer: one line of JSON, `{id, valid, messages: [{severity: "error" | "warning", message, file?, line?}]}`.
 *
 * @returns what it said; errors are there exactly if it refuses
 * @throws Error when it is no answer to this request: that says nothing about the files
 */
export function parseValidatorAnswer(line: string, plan: Plan, name: string): readonly HaproxyMessage[] {
  const answer = parseJson(line);
  if (!isRecord(answer)) throw new Error('its answer is no JSON object');
  const { id, valid, messages = [] } = answer;
  if (id !== plan.id) throw new Error(`its answer is about ${JSON.stringify(id)}, not about ${plan.id}`);
  if (typeof valid !== 'boolean') throw new Error('its answer has no valid: true or false');
  if (!Array.isArray(messages)) throw new Error('its answer has messages that are no list');
  const said = messages.map((message: unknown) => messageOf(message, name));
  const refusals = said.filter(({ severity }) => severity === 'alert').length;
  if (valid && refusals > 0) throw new Error('its answer is valid, with errors');
  if (valid || refusals > 0) return said;
  return [...said, { severity: 'alert', message: 'refused without a message', validator: name }];
}

function messageOf(said: unknown, validator: string): HaproxyMessage {
  if (!isRecord(said) || typeof said['message'] !== 'string')
    throw new Error('a message of its answer has no text');
  const { severity, message, file, line } = said;
  if (severity !== 'error' && severity !== 'warning')
    throw new Error('the severity of a message of its answer is neither error nor warning');
  return {
    severity: severity === 'error' ? 'alert' : 'warning',
    message: message.slice(0, 4096),
    validator,
    ...(typeof file === 'string' ? { file } : {}),
    ...(typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? { line } : {}),
  };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
    return new RegExp(`^${parts.join('[^/]*')}$`);
  });
  return (path) => expressions.some((expression) => expression.test(path));
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function contentOf(file: PlanFile): { readonly encoding: 'utf8' | 'base64'; readonly content: string } {
  const bytes = Buffer.concat(file.content());
  try {
    return { encoding: 'utf8', content: strict.decode(bytes) };
  } catch {
    return { encoding: 'base64', content: bytes.toString('base64') };
  }
}
