import type { BlockBody } from '../handlebars-engine.ts';
import type { HelperScope, HelperSpec, HelperTable } from '../helper-spec.ts';
import { isRecord } from '../../lib/is-record.ts';
import { isTruthy } from './logic.ts';

/** Most turns that all loops of one run may make together. */
export const maxLoopTurns = 100_000;

/**
 * Conditions and loops. `each` and `with` with block parameters leave the context alone, so that the constants of the
 * configuration stay in reach; without them the item becomes the context, as usual in Handlebars.
 */
export const flowHelpers: HelperTable = {
  if: condition('`{{#if x}}…{{else}}…{{/if}}`', isTruthy),
  unless: condition('`{{#unless x}}…{{else}}…{{/unless}}`', (value) => !isTruthy(value)),
  with: {
    summary: '`{{#with x as |y|}}…{{else}}…{{/with}}`: the body if there is such a value.',
    output: 'block',
    args: [1, 1],
    call: ([value], scope) =>
      isTruthy(value) ? run(scope.options.fn, value, [value], scope) : otherwise(scope),
  },
  each: {
    summary: '`{{#each list as |item index|}}…{{else}}…{{/each}}`; of an object: `|value key|`, keys sorted.',
    output: 'block',
    args: [1, 1],
    call: ([value], scope) => each(entriesOf(value), scope),
  },
};

function condition(summary: string, test: (value: unknown) => boolean): HelperSpec {
  return {
    summary,
    output: 'block',
    args: [1, 1],
    call: ([value], scope) =>
      test(value) ? run(scope.options.fn, scope.context, [], scope) : otherwise(scope),
  };
}

function each(entries: readonly (readonly [unknown, unknown])[], scope: HelperScope): string {
  if (entries.length === 0) return otherwise(scope);
  scope.run.loopTurns += entries.length;
  if (scope.run.loopTurns > maxLoopTurns) throw new RangeError(`loops of more than ${maxLoopTurns} turns`);
  const last = entries.length - 1;
  let output = '';
  entries.forEach(([key, item], index) => {
    const data = { ...scope.options.data, key, index, first: index === 0, last: index === last };
    output += run(scope.options.fn, item, [item, key], scope, data);
  });
  return output;
}

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, index) => [index, item as unknown]);
  if (isRecord(value))
    return Object.keys(value)
      .sort()
      .map((key) => [key, value[key]]);
  throw new RangeError('each takes a list or an object');
}

function run(
  body: BlockBody | undefined,
  item: unknown,
  blockParams: readonly unknown[],
  scope: HelperScope,
  data = scope.options.data,
): string {
  if (body === undefined) return '';
  const context = (body.blockParams ?? 0) > 0 ? scope.context : item;
  return body(context, { data, blockParams });
}

function otherwise(scope: HelperScope): string {
  return scope.options.inverse?.(scope.context, { data: scope.options.data }) ?? '';
}
