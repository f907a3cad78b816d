import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldPath, valueAt, withField, withoutFields } from '../../../src/lib/field-paths.ts';

describe('parseFieldPath', () => {
  it.each([
    ['data.token', ['data', 'token']],
    ["metadata.annotations['a.b/c']", ['metadata', 'annotations', 'a.b/c']],
    ['spec', ['spec']],
  ])('reads %s', (expression, path) => {
    expect(parseFieldPath(expression)).toStrictEqual(path);
  });

  it.each(['spec.rules[0].host', 'spec.rules[*]'])('refuses %s, which leads into a list', (expression) => {
    expect(() => parseFieldPath(expression)).toThrow(`${JSON.stringify(expression)} leads into a list`);
  });

  it('refuses what is no path', () => {
    expect(() => parseFieldPath('')).toThrow('is not a path');
  });
});

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }));
const object = fc.letrec((tie) => ({
  node: fc.dictionary(name, fc.oneof({ maxDepth: 3 }, leaf, tie('node')), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
})).node;
const path = fc.array(name, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 3 });

describe('fields of an object', () => {
  it('are not there any more when they are left out, and all else is', () => {
    fc.assert(
      fc.property(object, paths, path, (from, gone, other) => {
        const rest = withoutFields(from, gone);
        for (const one of gone) expect(valueAt(rest, one)).toBeUndefined();
        const isTouched = gone.some((one) => one.every((part, i) => other[i] === part || i >= other.length));
        if (!isTouched) expect(valueAt(rest, other)).toStrictEqual(valueAt(from, other));
      }),
    );
  });

  it('have the value that they are set to, and all else is as it was', () => {
    fc.assert(
      fc.property(object, path, leaf, path, (from, wanted, value, other) => {
        const changed = withField(from, wanted, value);
        expect(valueAt(changed, wanted)).toStrictEqual(value);
        const isTouched = wanted.every((part, i) => other[i] === part || i >= other.length);
        const isBelow = other.every((part, i) => wanted[i] === part || i >= wanted.length);
        if (!isTouched && !isBelow) expect(valueAt(changed, other)).toStrictEqual(valueAt(from, other));
      }),
    );
  });

  it('leave the object as it is', () => {
    const from = { data: { token: 'x', other: 'y' }, spec: { replicas: 2 } };
    const before = structuredClone(from);
    expect(
      withoutFields(from, [
        ['data', 'token'],
        ['spec', 'replicas'],
      ]),
    ).toStrictEqual({
      data: { other: 'y' },
      spec: {},
    });
    expect(withField(from, ['data', 'token'], 'z')).toStrictEqual({
      data: { token: 'z', other: 'y' },
      spec: { replicas: 2 },
    });
    expect(from).toStrictEqual(before);
  });
});
