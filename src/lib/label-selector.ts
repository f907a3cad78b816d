import { CodedError } from './coded-error.ts';

export type Labels = Readonly<Record<string, string>>;

/** `a=b` and `a!=b` are `In` and `NotIn` of one value, as in a `LabelSelector` object's `matchExpressions`. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  /** Sorted and without duplicates; empty for `Exists` and `DoesNotExist`. */
  readonly values: readonly string[];
}

export interface LabelSelector {
  /** The one spelling that all selectors of the same requirements share; as the API server takes it. Empty selects everything. */
  readonly text: string;
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels | undefined): boolean;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const tokens = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+|$)/y;
const word = /^[^=!(),<>]+$/;
const name = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const prefix = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const integer = /^[+-]?\d+$/;

/**
 * A label selector in Kubernetes' own syntax: equality (`a=b`, `a==b`, `a!=b`), sets (`a in (b, c)`, `a notin (b)`), presence
 * (`a`, `!a`) and integers (`a > 1`, `a < 5`), joined by commas. `!=` and `notin` also select what lacks the label.
 *
 * @param field where the text came from, for the error: `watchedResources.pods.labelSelector`
 * @throws CodedError `HAPTIC_ERR_CONFIG_LABEL_SELECTOR`, naming field, text and character
 */
export function parseLabelSelector(text: string, field: string): LabelSelector {
  const refuse = (what: string, at: number): CodedError =>
    new CodedError(
      'HAPTIC_ERR_CONFIG_LABEL_SELECTOR',
      `${field}: ${shown(text)} is not a label selector: ${what} at character ${at + 1}; ` +
        'write requirements such as a=b, a!=b, a in (b,c), a notin (b), a, !a, joined by commas',
    );
  const list = tokenize(text);
  let position = 0;
  const peek = (): Token => list[position] ?? { text: '', at: text.length };
  const take = (): Token => {
    const token = peek();
    position += 1;
    return token;
  };
  const expected = (what: string, { text: found, at }: Token): CodedError =>
    refuse(`${what} is expected${found === '' ? ', but it ends' : `, not ${shown(found)}`}`, at);
  const takeKey = (): string => {
    const token = take();
    if (!word.test(token.text)) throw expected('a label', token);
    if (!isLabelKey(token.text)) throw refuse(`${shown(token.text)} is not a label's name`, token.at);
    return token.text;
  };
  const takeValue = (): string => {
    const token = peek();
    // `a=` and `a in (,b)` name the empty value.
    if (token.text === '' || token.text === ',' || token.text === ')') return '';
    position += 1;
    if (!word.test(token.text)) throw expected('a value', token);
    if (!name.test(token.text)) throw refuse(`${shown(token.text)} is not a label's value`, token.at);
    return token.text;
  };
  const takeSet = (): string[] => {
    const open = take();
    if (open.text !== '(') throw expected('"("', open);
    const values = [takeValue()];
    for (let next = take(); next.text !== ')'; next = take()) {
      if (next.text !== ',') throw expected('"," or ")"', next);
      values.push(takeValue());
    }
    return [...new Set(values)].sort();
  };
  const takeInteger = (): string[] => {
    const token = take();
    if (!integer.test(token.text)) throw expected('an integer', token);
    return [token.text];
  };
  const takeRequirement = (): LabelRequirement => {
    if (peek().text === '!') {
      position += 1;
      return { key: takeKey(), operator: 'DoesNotExist', values: [] };
    }
    const key = takeKey();
    const token = peek();
    if (token.text === '' || token.text === ',') return { key, operator: 'Exists', values: [] };
    position += 1;
    switch (token.text) {
      case '=':
      case '==':
        return { key, operator: 'In', values: [takeValue()] };
      case '!=':
        return { key, operator: 'NotIn', values: [takeValue()] };
      case 'in':
        return { key, operator: 'In', values: takeSet() };
      case 'notin':
        return { key, operator: 'NotIn', values: takeSet() };
      case '>':
        return { key, operator: 'Gt', values: takeInteger() };
      case '<':
        return { key, operator: 'Lt', values: takeInteger() };
      default:
        throw expected('=, !=, in, notin, > or <', token);
    }
  };

  if (text.trim() === '') return labelSelectorOf([]);
  const requirements = [takeRequirement()];
  for (let next = take(); next.text !== ''; next = take()) {
    if (next.text !== ',') throw expected('","', next);
    requirements.push(takeRequirement());
  }
  return labelSelectorOf(requirements);
}

/** The selector of requirements that are already known to be right; `matchLabels` are `In` of one value. */
export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  const printed = new Map(requirements.map((requirement) => [printRequirement(requirement), requirement]));
  const texts = [...printed.keys()].sort();
  const tests = [...printed.values()].map(testOf);
  return {
    text: texts.join(','),
    requirements: texts.flatMap((text) => printed.get(text) ?? []),
    matches: (labels = {}) => tests.every((test) => test(labels)),
  };
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  const [first = ''] = values;
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${first}` : `${key} in (${values.join(',')})`;
    case 'NotIn':
      return values.length === 1 ? `${key}!=${first}` : `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${first}`;
    case 'Lt':
      return `${key}<${first}`;
  }
}

function testOf({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const of = (labels: Labels): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const members = new Set(values);
  const bound = Number(values[0]);
  const compared = (holds: (value: number) => boolean) => (labels: Labels) => {
    const value = of(labels);
    return value !== undefined && integer.test(value) && holds(Number(value));
  };
  switch (operator) {
    case 'In':
      return (labels) => {
        const value = of(labels);
        return value !== undefined && members.has(value);
      };
    case 'NotIn':
      return (labels) => {
        const value = of(labels);
        return value === undefined || !members.has(value);
      };
    case 'Exists':
      return (labels) => of(labels) !== undefined;
    case 'DoesNotExist':
      return (labels) => of(labels) === undefined;
    case 'Gt':
      return compared((value) => value > bound);
    case 'Lt':
      return compared((value) => value < bound);
  }
}

function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1) return name.test(text);
  const domain = text.slice(0, slash);
  return domain.length <= 253 && prefix.test(domain) && name.test(text.slice(slash + 1));
}

function tokenize(text: string): Token[] {
  const found: Token[] = [];
  tokens.lastIndex = 0;
  for (let match = tokens.exec(text); match !== null && match[1] !== ''; match = tokens.exec(text)) {
    const [whole, token = ''] = match;
    found.push({ text: token, at: match.index + whole.length - token.length });
  }
  return found;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
