import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSchema } from '../../../src/sandbox/api/check-schema.ts';
import { applyDefaults } from '../../../src/sandbox/api/crd/structural-defaults.ts';
import { createStructuralValidator } from '../../../src/sandbox/api/crd/structural-validator.ts';
import { repeatedItem } from '../../../src/sandbox/api/repeated-items.ts';
import type { Schema } from '../../../src/sandbox/api/schema.ts';

const spec = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});
const causes = (schema: Schema, value: unknown) =>
  createStructuralValidator(schema)({ spec: value }).map((cause) => `${cause.field}: ${cause.message}`);

describe('structural validation', () => {
  it.each<[string, Schema, unknown, string]>([
    [
      'a type',
      { type: 'integer' },
      'x',
      'spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"',
    ],
    [
      'a null',
      { type: 'string' },
      null,
      'spec.f: Invalid value: "null": spec.f in body must be of type string: "null"',
    ],
    [
      'an enum',
      { type: 'string', enum: ['a', 'b'] },
      'c',
      'spec.f: Unsupported value: "c": supported values: "a", "b"',
    ],
    [
      'a pattern',
      { type: 'string', pattern: '^a+$' },
      'b',
      `spec.f: Invalid value: "b": spec.f in body should match '^a+$'`,
    ],
    [
      'a minimum',
      { type: 'integer', minimum: 1 },
      0,
      'spec.f: Invalid value: 0: spec.f in body should be greater than or equal to 1',
    ],
    [
      'a maximum',
      { type: 'integer', maximum: 1 },
      2,
      'spec.f: Invalid value: 2: spec.f in body should be less than or equal to 1',
    ],
    [
      'a length',
      { type: 'string', minLength: 2 },
      'a',
      'spec.f: Invalid value: "a": spec.f in body should be at least 2 chars long',
    ],
    [
      'a long text',
      { type: 'string', maxLength: 2 },
      'abc',
      'spec.f: Too long: may not be more than 2 bytes',
    ],
    [
      'a number of items',
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ['a', 'b'],
      'spec.f: Invalid value: ["a","b"]: spec.f in body should have at most 1 items',
    ],
    [
      'an item',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      'spec.f[1]: Invalid value: "number": spec.f[1] in body must be of type string: "number"',
    ],
    [
      'a required field',
      { type: 'object', required: ['g'], properties: { g: { type: 'string' } } },
      {},
      'spec.f.g: Required value',
    ],
    [
      'a set',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      ['a', 'a'],
      'spec.f[1]: Duplicate value: "a"',
    ],
    [
      'a list map',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['n'],
        items: { type: 'object', properties: { n: { type: 'string' } } },
      },
      [{ n: 'a' }, { n: 'a' }],
      'spec.f[1]: Duplicate value: {"n":"a"}',
    ],
    [
      'an exclusive bound',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      'spec.f: Invalid value: 1: spec.f in body must be > 1',
    ],
  ])('names %s that is wrong', (_, schema, value, text) => {
    expect(causes(spec({ f: schema }), { f: value })).toEqual([text]);
  });

  it('names every wrong field at once', () => {
    expect(causes(spec({ a: { type: 'integer' }, b: { type: 'string' } }), { a: 'x', b: 1 })).toHaveLength(2);
  });

  it.each<[string, Schema, unknown]>([
    ['a nullable null', { type: 'string', nullable: true }, null],
    ['a nullable enum null', { type: 'string', nullable: true, enum: ['a'] }, null],
    ['an integer or string', { 'x-kubernetes-int-or-string': true }, '50%'],
    ['a format it does not know', { type: 'string', format: 'k8s-quantity' }, '!'],
    ['anything', { 'x-kubernetes-preserve-unknown-fields': true }, [1, { a: null }]],
    [
      'a number beside anyOf',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      3,
    ],
  ])('takes %s', (_, schema, value) => {
    expect(causes(spec({ f: schema }), { f: value })).toEqual([]);
  });
});

describe('structural defaults', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      a: { type: 'integer', default: 1 },
      b: { type: 'object', default: {}, properties: { c: { type: 'string', default: 'x' } } },
      n: { type: 'string', nullable: true, default: 'd' },
      list: { type: 'array', items: { type: 'object', properties: { w: { type: 'integer', default: 5 } } } },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { v: { type: 'integer', default: 7 } } },
      },
      plain: { type: 'object', properties: { deep: { type: 'integer', default: 9 } } },
    },
  };

  it('fill in from the outside in, in lists and maps too, and not into absent objects', () => {
    expect(applyDefaults({ list: [{}, { w: 1 }], map: { k: {} } }, schema)).toEqual({
      a: 1,
      b: { c: 'x' },
      n: 'd',
      list: [{ w: 5 }, { w: 1 }],
      map: { k: { v: 7 } },
    });
  });

  it('take null for absent also where there is no default, in fields and in maps, and nowhere else', () => {
    const nulls: Schema = {
      type: 'object',
      properties: {
        plain: { type: 'string' },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        list: { type: 'array', items: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    const given = { plain: null, map: { a: null, b: 'x' }, list: [null], free: { a: null } };
    expect(applyDefaults(given, nulls)).toStrictEqual({ map: { b: 'x' }, list: [null], free: { a: null } });
  });

  it('take null for absent where null is not allowed, and leave it where it is', () => {
    expect(applyDefaults({ a: null, n: null }, schema)).toMatchObject({ a: 1, n: null });
  });

  it('are stable: a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = applyDefaults(value, schema);
        expect(applyDefaults(once, schema)).toEqual(once);
      }),
    );
  });

  it('share nothing between objects', () => {
    expect((applyDefaults({}, schema) as { b: object }).b).not.toBe(
      (applyDefaults({}, schema) as { b: object }).b,
    );
  });
});

describe('pruning', () => {
  it('drops unknown fields, keeps preserved ones, and looks into preserved objects that describe fields', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        known: { type: 'object', properties: { a: { type: 'string' } } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { described: { type: 'object', properties: { b: { type: 'string' } } } },
        },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object' } },
        },
      },
    };
    const value = {
      known: { a: '1', x: 1 },
      free: { any: { thing: 1 }, described: { b: '1', x: 1 } },
      embedded: { apiVersion: 'v1', kind: 'K', metadata: { name: 'n' }, spec: {}, other: 1 },
      gone: 1,
    };
    const found = checkSchema(value, schema, false);
    expect(found.value).toEqual({
      known: { a: '1' },
      free: { any: { thing: 1 }, described: { b: '1' } },
      embedded: { apiVersion: 'v1', kind: 'K', metadata: { name: 'n' }, spec: {} },
    });
    expect(found.unknown).toEqual(['known.x', 'free.described.x', 'embedded.other', 'gone']);
  });

  it('keeps null in custom objects', () => {
    expect(
      checkSchema({ a: null }, { type: 'object', properties: { a: { type: 'string' } } }, false).value,
    ).toEqual({ a: null });
  });
});

describe('rules in CEL', () => {
  const ruled = (rule: object, properties: Record<string, Schema>): Schema =>
    spec(properties, { 'x-kubernetes-validations': [rule] });
  const number: Schema = { type: 'integer' };

  it('are asked of the object that has them, and blame the field that they name', () => {
    const schema = ruled(
      { rule: 'self.min <= self.max', message: 'min must not be more than max', fieldPath: '.min' },
      { min: number, max: number },
    );
    expect(causes(schema, { min: 1, max: 2 })).toStrictEqual([]);
    expect(causes(schema, { min: 3, max: 2 })).toStrictEqual([
      'spec.min: Invalid value: "object": min must not be more than max',
    ]);
  });

  it('are asked of the items of lists and maps, by their place', () => {
    const item: Schema = {
      type: 'object',
      properties: { a: number, b: number },
      'x-kubernetes-validations': [{ rule: 'has(self.a) != has(self.b)', message: 'either a or b' }],
    };
    const schema = spec({
      list: { type: 'array', items: item },
      map: { type: 'object', additionalProperties: item },
    });
    expect(causes(schema, { list: [{ a: 1 }, {}], map: { x: { a: 1, b: 1 }, y: { b: 1 } } })).toStrictEqual([
      'spec.list[1]: Invalid value: "object": either a or b',
      'spec.map.x: Invalid value: "object": either a or b',
    ]);
  });

  it('are told by their text where they have no message', () => {
    expect(causes(ruled({ rule: 'self.a == 1' }, { a: number }), { a: 2 })).toStrictEqual([
      'spec: Invalid value: "object": failed rule: self.a == 1',
    ]);
  });

  it('are asked of what is right otherwise', () => {
    expect(causes(ruled({ rule: 'false', message: 'no' }, { a: number }), { a: 'x' })).toStrictEqual([
      'spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"',
    ]);
  });

  it.each(['self.a == oldSelf.a', 'self.a.unknownFunction()', 'self.absent > 1', 'self.a ==', ''])(
    'that cannot be evaluated here refuse nothing: %s',
    (rule) => {
      expect(causes(ruled({ rule, message: 'no' }, { a: number }), { a: 1 })).toStrictEqual([]);
    },
  );
});

describe('what an applied configuration has twice', () => {
  const schema = spec({
    refs: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, more: { type: 'array', items: { type: 'string' } } },
      },
    },
  });
  const found = (refs: unknown) => repeatedItem({ spec: { refs } }, schema);

  it('is an item of a list by key, and none of another list', () => {
    expect(found([{ name: 'a' }, { name: 'b' }, { name: 'a' }])).toBe(
      '.spec.refs: duplicate entries for key [name="a"]',
    );
    expect(found([{ name: 'a', more: ['x', 'x'] }, { name: 'b' }])).toBeUndefined();
    expect(found(undefined)).toBeUndefined();
    expect(repeatedItem({ other: [{ name: 'a' }, { name: 'a' }] }, schema)).toBeUndefined();
  });
});
