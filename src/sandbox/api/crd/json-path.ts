import { isRecord } from '../json.ts';

type Step = (value: unknown) => unknown[];

const token =
  /^(?:\.([\w$-]+|\*)|\['([^']*)'\]|\["([^"]*)"\]|\[(-?\d+)\]|\[(\*)\]|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\])/;

/**
 * A JSONPath as printer columns use it: fields (`.spec.host`, `['a.b']`), indexes, `*`, and filters
 * (`[?(@.type=="Ready")]`). Gives all values found; `undefined` instead of a function for a path it cannot read.
 */
export function parseJsonPath(path: string): ((value: unknown) => unknown[]) | undefined {
  const steps: Step[] = [];
  let rest = path.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '');
  if (!rest.startsWith('.') && !rest.startsWith('[')) rest = `.${rest}`;
  while (rest !== '') {
    const match = token.exec(rest);
    if (match === null) return undefined;
    steps.push(stepOf(match));
    rest = rest.slice(match[0].length);
  }
  return (value) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [value]);
}

function stepOf(match: RegExpExecArray): Step {
  const [, field, single, double, index, star, filterPath, wanted] = match;
  if (star !== undefined || field === '*') return childrenOf;
  if (index !== undefined) return (value) => (Array.isArray(value) ? present(value.at(Number(index))) : []);
  if (filterPath !== undefined) {
    const inner = parseJsonPath(`.${filterPath}`);
    return (value) =>
      childrenOf(value).filter((item) => inner?.(item).some((found) => String(found) === wanted));
  }
  const name = field ?? single ?? double ?? '';
  return (value) => (isRecord(value) && Object.hasOwn(value, name) ? present(value[name]) : []);
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return isRecord(value) ? Object.values(value) : [];
}

function present(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}
