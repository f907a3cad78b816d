import { apiError } from './api-status.ts';

export type Labels = Readonly<Record<string, string>>;
export type LabelTest = (labels: Labels | undefined) => boolean;

const everything: LabelTest = () => true;
const term =
  /^\s*(?:(!)\s*)?([A-Za-z0-9./_-]+)\s*(?:(==|=|!=)\s*([A-Za-z0-9._-]*)|\s(in|notin)\s*\(([^)]*)\))?\s*$/;

/**
 * A label selector as a query carries it: equality (`a=b`, `a==b`, `a!=b`), sets (`a in (b,c)`, `a notin (b)`), presence
 * (`a`, `!a`), joined by commas. Empty selects everything; a malformed one is a 400.
 */
export function parseLabelSelector(text: string): LabelTest {
  if (text.trim() === '') return everything;
  const tests = splitTerms(text).map(parseTerm);
  return (labels) => tests.every((test) => test(labels));
}

/** The selector of a Deployment and its like: `matchLabels` and `matchExpressions`, as text for `status.selector`. */
export function formatMatchLabels(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`)
    .join(',');
}

function splitTerms(text: string): string[] {
  return text.split(/,(?![^(]*\))/);
}

function parseTerm(text: string): LabelTest {
  const match = term.exec(text);
  if (match === null) {
    throw apiError(400, `unable to parse requirement: found '${text.trim()}', which is not a label selector`);
  }
  const [, not, key = '', operator, value, setOperator, set = ''] = match;
  const of = (labels: Labels | undefined) =>
    labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (operator !== undefined) {
    return operator === '!=' ? (labels) => of(labels) !== value : (labels) => of(labels) === value;
  }
  if (setOperator !== undefined) {
    const members = new Set(set.split(',').map((member) => member.trim()));
    return setOperator === 'in'
      ? (labels) => members.has(of(labels) ?? '\0')
      : (labels) => !members.has(of(labels) ?? '\0');
  }
  return not === undefined ? (labels) => of(labels) !== undefined : (labels) => of(labels) === undefined;
}
