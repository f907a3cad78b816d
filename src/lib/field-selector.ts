import { CodedError } from './coded-error.ts';
import { errorMessage } from './error-message.ts';
import { jsonPath } from './json-path.ts';

export interface FieldTerm {
  /** A JSONPath as `jsonPath` takes it: `spec.ingressClassName`, `metadata.labels['a.b/c']`. */
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
  matches(object: unknown): boolean;
}

export interface FieldSelector {
  /** The one spelling that all selectors of the same terms share; as the API server takes it. Empty selects everything. */
  readonly text: string;
  /** In the order of `text`. */
  readonly terms: readonly FieldTerm[];
  matches(object: unknown): boolean;
}

const term =
  /^\s*((?:[^=!,'"[\]]|\[\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'"\]]*)\s*\])+?)\s*(==|!=|=)\s*/;
const value = /^(?:[^\\,=]|\\[\\,=])*/;

/**
 * A field selector: `path=value` and `path!=value`, joined by commas. Paths are JSONPaths, so any field can be compared, not
 * only those that the API server selects by. A field that is not there has the empty value; of several values one has to be
 * equal (`!=`: none). In values `\,`, `\=` and `\\` stand for `,`, `=` and `\`, as with Kubernetes.
 *
 * @param field where the text came from, for the error: `watchedResources.ingresses.fieldSelector`
 * @throws CodedError `HAPTIC_ERR_CONFIG_FIELD_SELECTOR`, naming field, text and character
 */
export function parseFieldSelector(text: string, field: string): FieldSelector {
  const refuse = (what: string, at: number): CodedError =>
    new CodedError(
      'HAPTIC_ERR_CONFIG_FIELD_SELECTOR',
      `${field}: ${shown(text)} is not a field selector: ${what} at character ${at + 1}; ` +
        'write terms such as spec.ingressClassName=haproxy or status.phase!=Failed, joined by commas',
    );
  if (text.trim() === '') return fieldSelectorOf([]);
  const terms: FieldTerm[] = [];
  let at = 0;
  for (;;) {
    const head = term.exec(text.slice(at));
    if (head === null) throw refuse('a term is expected', at);
    const [whole, path = '', operator] = head;
    const [raw] = value.exec(text.slice(at + whole.length)) ?? [''];
    const end = at + whole.length + raw.length;
    if (end < text.length && text[end] !== ',')
      throw refuse(`${JSON.stringify(text[end])} has to be written with a backslash before it`, end);
    try {
      terms.push(fieldTerm(path.trim(), operator === '!=' ? '!=' : '=', unescaped(raw.trimEnd())));
    } catch (error) {
      throw refuse(errorMessage(error), at);
    }
    if (end === text.length) return fieldSelectorOf(terms);
    at = end + 1;
  }
}

/** All terms have to hold. */
export function fieldSelectorOf(terms: readonly FieldTerm[]): FieldSelector {
  const printed = new Map(terms.map((one) => [printTerm(one), one]));
  const texts = [...printed.keys()].sort();
  const sorted = texts.flatMap((text) => printed.get(text) ?? []);
  return {
    text: texts.join(','),
    terms: sorted,
    matches: (object) => sorted.every((one) => one.matches(object)),
  };
}

function fieldTerm(path: string, operator: '=' | '!=', wanted: string): FieldTerm {
  const read = jsonPath(path);
  const isEqual = (object: unknown): boolean => {
    const values = read(object);
    return values.length === 0 ? wanted === '' : values.includes(wanted);
  };
  const matches = operator === '=' ? isEqual : (object: unknown): boolean => !isEqual(object);
  return { path, operator, value: wanted, matches };
}

function printTerm({ path, operator, value: wanted }: FieldTerm): string {
  return `${path}${operator}${wanted.replace(/[\\,=]/g, '\\$&')}`;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
