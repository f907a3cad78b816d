import type { HelperExample, HelperScope, HelperSpec } from './helper-spec.ts';

/** A helper that gives a value, from its arguments alone. */
export function valueHelper(
  signature: string,
  summary: string,
  args: readonly [least: number, most: number],
  call: (args: readonly unknown[], scope: HelperScope) => unknown,
  example: HelperExample,
): HelperSpec {
  return { signature, summary, example, output: 'value', args, call };
}
