import type { BlockBody } from '../handlebars-engine.ts';
import { anyNumber, type HelperScope, type HelperSpec, type HelperTable } from '../helper-spec.ts';
import { isRecord } from '../../lib/is-record.ts';
import { requireRoom } from '../run.ts';
import { runLimits } from '../run-limits.ts';
import { isTruthy } from './logic.ts';

/**
 * Conditions and loops. `each` and `with` with block parameters leave the context alone, so that the constants of the
 * configuration stay in reach; without them the item becomes the context, as usual in Handlebars.
 */
export const flowHelpers: HelperTable = {
  if: condition(
    '{{#if x}}…{{else if y}}…{{else}}…{{/if}}',
    'The body if the value is true. False are `false`, nothing, 0, the empty text and the empty list.',
    isTruthy,
    '{{#if w.spec.missing}}yes{{else}}no{{/if}}',
  ),
  unless: condition(
    '{{#unless x}}…{{else}}…{{/unless}}',
    'The body if the value is false.',
    (value) => !isTruthy(value),
    '{{#unless w.spec.missing}}there is none{{/unless}}',
  ),
  with: {
    signature: '{{#with x as |y|}}…{{else}}…{{/with}}',
    summary: 'The body, with a name for the value, if it is true.',
    example: '{{#with (annotation w "example.com/tier") as |tier|}}tier {{tier}}{{else}}no tier{{/with}}',
    output: 'block',
    args: [1, 1],
    call: ([value], scope) =>
      isTruthy(value) ? run(scope.options.fn, value, [value], scope) : otherwise(scope),
  },
  let: {
    signature: '{{#let x y … as |a b …|}}…{{/let}}',
    summary: 'The body, with a name for each value, whatever they are.',
    example:
      '{{#let (concat w.metadata.name "-" w.spec.color) 0 as |name weight|}}{{name}} {{weight}}{{/let}}',
    output: 'block',
    args: [1, anyNumber],
    call: (values, scope) => run(scope.options.fn, scope.context, values, scope),
  },
  each: {
    signature: '{{#each list as |item index|}}…{{else}}…{{/each}}',
    summary:
      'The body for each item of a list, or for each value of an object, `as |value key|`, in the order of its keys. `@index`, `@key`, `@first` and `@last` are known in it.',
    example: '{{#each w.spec.ports as |port index|}}{{index}}={{port}}{{#unless @last}},{{/unless}}{{/each}}',
    output: 'block',
    args: [1, 1],
    call: ([value], scope) => each(entriesOf(value), scope),
  },
};

function condition(
  signature: string,
  summary: string,
  test: (value: unknown) => boolean,
  example: string,
): HelperSpec {
  return {
    signature,
    summary,
    example,
    output: 'block',
    args: [1, 1],
    call: ([value], scope) =>
      test(value) ? run(scope.options.fn, scope.context, [], scope) : otherwise(scope),
  };
}

function each(entries: readonly (readonly [unknown, unknown])[], scope: HelperScope): string {
  if (entries.length === 0) return otherwise(scope);
  scope.run.loopTurns += entries.length;
  if (scope.run.loopTurns > runLimits.loopTurns)
    throw new RangeError(`loops of more than ${runLimits.loopTurns} turns`);
  const last = entries.length - 1;
  let output = '';
  entries.forEach(([key, item], index) => {
    const data = { ...scope.options.data, key, index, first: index === 0, last: index === last };
    output += run(scope.options.fn, item, [item, key], scope, data);
    requireRoom(scope.run, output);
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
