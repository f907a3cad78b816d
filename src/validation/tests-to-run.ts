import type { TemplateConfig, ValidationTest } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { globalTest, mergeGlobal } from './merge-global.ts';

export interface NamedTest {
  readonly name: string;
  /** With what `_global` lends it. */
  readonly test: ValidationTest;
}

/**
 * The tests of a configuration in the order of their names; `_global` is one of them if it has assertions.
 *
 * @param only names of those that are wanted; default: all
 * @throws CodedError `HAPTIC_ERR_VALIDATION_UNKNOWN_TEST` naming those that do not exist
 */
export function testsToRun(
  tests: TemplateConfig['validationTests'],
  only: readonly string[] | undefined,
): readonly NamedTest[] {
  const names = Object.keys(tests).sort();
  const unknown = (only ?? []).filter((name) => !Object.hasOwn(tests, name));
  if (unknown.length > 0)
    throw new CodedError(
      'HAPTIC_ERR_VALIDATION_UNKNOWN_TEST',
      `there is no validation test ${unknown.join(', ')}; there ${names.length === 0 ? 'is none at all' : `is ${names.join(', ')}`}`,
    );
  const isTest = (name: string): boolean => name !== globalTest || (tests[name]?.assertions ?? []).length > 0;
  return [...new Set(only ?? names.filter(isTest))].sort().flatMap((name) => {
    const test = mergeGlobal(tests, name);
    return test === undefined ? [] : { name, test };
  });
}
