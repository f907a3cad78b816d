import { CodedError } from './coded-error.ts';
import { isRecord } from './is-record.ts';

/** One step of a path: into a field, to a list's item, or to all there are. */
export type JsonPathStep = { readonly key: string } | { readonly index: number } | 'all';

/** The values that a JSONPath selects in an object: scalars as text, in order. */
export type JsonPath = (object: unknown) => readonly string[];

const stepPattern =
  /\.?(?:\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\]|\[(\d+)\]|\[\*\]|((?:[^.[\]\\\s]|\\.)+))/y;

/**
 * The JSONPath of `indexBy`: dotted and bracketed steps, `metadata.labels['a.b/c']`, `metadata.labels.a\.b/c`, `spec.rules[0].host`,
 * `spec.rules[*].host`. A leading `$`, `.` or surrounding braces are allowed. Filters, slices and recursive descent are not:
 * `HAPTIC_ERR_TEMPLATE_JSONPATH`.
 */
export function jsonPath(expression: string): JsonPath {
  const select = jsonPathValues(expression);
  return (object) =>
    select(object).flatMap((value) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [String(value)]
        : [],
    );
}

/** The same, as the values that are there: objects and lists, too. */
export function jsonPathValues(expression: string): (object: unknown) => readonly unknown[] {
  const steps = parseJsonPath(expression);
  return (object) => {
    let found: unknown[] = [object];
    for (const step of steps) found = found.flatMap((value) => take(value, step));
    return found;
  };
}

function take(value: unknown, step: JsonPathStep): unknown[] {
  if (step === 'all') return Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  if ('index' in step) return Array.isArray(value) && step.index < value.length ? [value[step.index]] : [];
  return isRecord(value) && Object.hasOwn(value, step.key) ? [value[step.key]] : [];
}

/** The steps of a path, for those who do more with it than reading. Refuses what `jsonPath` refuses. */
export function parseJsonPath(expression: string): JsonPathStep[] {
  const text = expression
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '');
  const steps: JsonPathStep[] = [];
  stepPattern.lastIndex = 0;
  while (stepPattern.lastIndex < text.length) {
    const at = stepPattern.lastIndex;
    const match = stepPattern.exec(text);
    if (match === null || text.startsWith('..', at)) throw invalid(expression, at);
    const [whole, single, double, index, plain] = match;
    const key = single ?? double ?? plain;
    if (index !== undefined) steps.push({ index: Number(index) });
    else if (key === '*' || whole.endsWith('[*]')) steps.push('all');
    else if (key !== undefined) steps.push({ key: key.replace(/\\(.)/g, '$1') });
  }
  if (steps.length === 0) throw invalid(expression, 0);
  return steps;
}

function invalid(expression: string, at: number): CodedError {
  return new CodedError(
    'HAPTIC_ERR_TEMPLATE_JSONPATH',
    `${JSON.stringify(expression)} is not a path such as metadata.labels['a.b/c'] (at character ${at + 1})`,
  );
}
