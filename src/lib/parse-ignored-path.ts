import { CodedError } from './coded-error.ts';
import { parseJsonPath, type JsonPathStep } from './json-path.ts';

const identity = new Set(['name', 'namespace', 'uid', 'resourceVersion']);

/**
 * A path of `ignoreFields`.
 *
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_JSONPATH` for what is no path, `HAPTIC_ERR_CONFIG_IGNORE_FIELD` for a path to what
 * identifies an object
 */
export function parseIgnoredPath(path: string): readonly JsonPathStep[] {
  const steps = parseJsonPath(path);
  if (!isIdentity(steps)) return steps;
  throw new CodedError(
    'HAPTIC_ERR_CONFIG_IGNORE_FIELD',
    `${JSON.stringify(path)} cannot be ignored: objects are told apart by it`,
  );
}

function isIdentity([first, second]: readonly JsonPathStep[]): boolean {
  if (first === undefined || first === 'all') return true;
  if ('index' in first) return false;
  if (first.key === 'apiVersion' || first.key === 'kind') return true;
  if (first.key !== 'metadata') return false;
  return second === undefined || second === 'all' || ('key' in second && identity.has(second.key));
}
