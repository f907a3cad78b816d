import { expect, it } from 'vitest';
import type { StructuralSchema } from '../../../src/api/structural-schema.ts';
import { checkLists as checkInSlices } from '../../../src/config/check-lists.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import { dropNulls } from '../../../src/config/drop-nulls.ts';

const checkLists = (...given: Parameters<typeof checkInSlices>) => runSlices(checkInSlices(...given));

const text: StructuralSchema = { type: 'string' };
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    plain: { type: 'array', items: text },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: text, more: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    named: {
      type: 'object',
      additionalProperties: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    },
  },
};

it('finds every repeated item, where lists must have none, at any depth', () => {
  const again = (path: readonly string[], what: string) => ({
    path,
    message: `is ${what}, as of another before it`,
  });
  expect(
    checkLists(schema, {
      set: ['a', 'b', 'a', 'a'],
      plain: ['a', 'a'],
      keyed: [{ name: 'x', more: ['1', '1'] }, { name: 'y' }, { name: 'x' }],
      named: { n: ['a', 'a'], m: ['a'] },
      free: { set: ['a', 'a'] },
    }),
  ).toStrictEqual([
    again(['set', '2'], 'a'),
    again(['set', '3'], 'a'),
    again(['keyed', '2', 'name'], 'x'),
    again(['keyed', '0', 'more', '1'], '1'),
    again(['named', 'n', '1'], 'a'),
  ]);
  expect(checkLists(schema, { set: ['a', 'b'], keyed: [{ name: 'x' }], named: {} })).toStrictEqual([]);
});

it('drops what is null where null says nothing, and shares the rest', () => {
  const free = { a: null, list: [null] };
  const given = {
    set: null,
    plain: [null, 'a'],
    keyed: [{ name: 'x', more: null }],
    free,
    named: { n: null, m: [] },
    unknown: null,
  };
  const dropped = dropNulls(given, schema);
  expect(dropped).toStrictEqual({
    plain: [null, 'a'],
    keyed: [{ name: 'x' }],
    free,
    named: { m: [] },
    unknown: null,
  });
  expect(given.named).toStrictEqual({ n: null, m: [] });
  expect(dropNulls(JSON.parse('{"__proto__": null, "constructor": null}'), schema)).toStrictEqual(
    JSON.parse('{"__proto__": null, "constructor": null}'),
  );
});
