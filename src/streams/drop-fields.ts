import type { KubeObject } from '../api/kube-object.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';
import type { JsonPathStep } from '../lib/json-path.ts';
import { parseIgnoredPath } from '../lib/parse-ignored-path.ts';

/**
 * Takes fields out of objects: the JSONPaths of `ignoreFields`. The object given stays as it is; what is kept of it is shared, and
 * an object that has none of the fields is returned itself.
 *
 * @param field where the paths came from, for errors
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_JSONPATH` for what is no path, `HAPTIC_ERR_CONFIG_IGNORE_FIELD` for a path to what
 * identifies an object
 */
export function dropFields(paths: readonly string[], field: string): (object: KubeObject) => KubeObject {
  const parsed = paths.map((path) => parsedIn(field, path));
  return (object) =>
    parsed.reduce((rest, steps) => {
      const left = without(rest, steps, 0);
      // A path below metadata leaves an object with metadata: those that do not were refused.
      return left as KubeObject;
    }, object);
}

function parsedIn(field: string, path: string): readonly JsonPathStep[] {
  try {
    return parseIgnoredPath(path);
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'HAPTIC_ERR_CONFIG_IGNORE_FIELD') throw error;
    throw new CodedError(error.code, `${field}: ${error.message}`, { cause: error });
  }
}

function without(value: unknown, steps: readonly JsonPathStep[], at: number): unknown {
  const step = steps[at];
  if (step === undefined) return value;
  const isLast = at === steps.length - 1;
  if (step === 'all') {
    if (Array.isArray(value)) return isLast ? [] : changedList(value, () => true, steps, at);
    if (isRecord(value)) return isLast ? {} : changedRecord(value, Object.keys(value), steps, at);
    return value;
  }
  if ('index' in step) {
    if (!Array.isArray(value) || step.index >= value.length) return value;
    if (isLast) return value.filter((_, index) => index !== step.index);
    return changedList(value, (index) => index === step.index, steps, at);
  }
  if (!isRecord(value) || !Object.hasOwn(value, step.key)) return value;
  if (!isLast) return changedRecord(value, [step.key], steps, at);
  // Built anew: deleting a property makes a hash table of an object for life.
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step.key));
}

function changedList(
  list: readonly unknown[],
  isMeant: (index: number) => boolean,
  steps: readonly JsonPathStep[],
  at: number,
): readonly unknown[] {
  const items = list.map((item, index) => (isMeant(index) ? without(item, steps, at + 1) : item));
  return items.every((item, index) => item === list[index]) ? list : items;
}

function changedRecord(
  record: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  steps: readonly JsonPathStep[],
  at: number,
): Readonly<Record<string, unknown>> {
  let changed = record;
  for (const key of keys) {
    const left = without(record[key], steps, at + 1);
    if (left !== record[key]) changed = { ...changed, [key]: left };
  }
  return changed;
}
