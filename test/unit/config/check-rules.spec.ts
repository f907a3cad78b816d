import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../../../src/api/structural-schema.ts';
import { checkRules as checkInSlices } from '../../../src/config/check-rules.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';

const checkRules = (...given: Parameters<typeof checkInSlices>) => runSlices(checkInSlices(...given));

const pair: StructuralSchema = {
  type: 'object',
  properties: { a: { type: 'string' }, b: { type: 'string' } },
  'x-kubernetes-validations': [
    { rule: '!(has(self.a) && has(self.b))', message: 'not both', fieldPath: '.b' },
    { rule: "!has(self.a) || duration(self.a) > duration('1s')", message: 'a is longer than 1s' },
  ],
};

describe('rules over several fields', () => {
  it('are asked wherever the schema has them', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        one: pair,
        list: { type: 'array', items: pair },
        named: { type: 'object', additionalProperties: pair },
      },
    };
    expect(
      checkRules(schema, {
        one: { a: '2s', b: 'x' },
        list: [{ b: 'x' }, { a: '1s' }],
        named: { x: { a: '2s', b: 'x' }, y: {} },
        unknown: { a: '1s', b: 'x' },
      }),
    ).toStrictEqual([
      { path: ['one', 'b'], message: 'not both' },
      { path: ['list', '1'], message: 'a is longer than 1s' },
      { path: ['named', 'x', 'b'], message: 'not both' },
    ]);
  });

  it('that cannot be evaluated are broken', () => {
    expect(checkRules(pair, { a: 'soon' })).toStrictEqual([{ path: [], message: 'a is longer than 1s' }]);
    expect(checkRules(pair, { a: '0' })).toStrictEqual([{ path: [], message: 'a is longer than 1s' }]);
  });

  it('take no field of Object.prototype for one of the schema', () => {
    const value = JSON.parse('{"constructor": {"a": "1s"}, "__proto__": {"a": "1s"}}') as unknown;
    expect(checkRules({ type: 'object', properties: { one: pair } }, value)).toStrictEqual([]);
  });
});
