import { describe, expect, it } from 'vitest';
import { allHelpers } from '../../../src/templates/helpers/all-helpers.ts';
import type { HelperScope } from '../../../src/templates/helper-spec.ts';

/** Value helpers look at their arguments only. */
const noScope = {} as HelperScope;

function call(name: string, ...args: readonly unknown[]): unknown {
  const spec = allHelpers[name];
  if (spec?.output !== 'value') throw new Error(`${name} is no value helper`);
  expect(args.length).toBeGreaterThanOrEqual(spec.args[0]);
  expect(args.length).toBeLessThanOrEqual(spec.args[1]);
  return spec.call(args, noScope);
}

const object = {
  metadata: { annotations: { 'x.io/a': '1' }, labels: { app: 'web' } },
  spec: { ports: [{ port: 80 }, { port: 443 }] },
};

describe('value helpers', () => {
  it.each([
    ['eq', [1, 1], true],
    ['eq', [1, '1'], false],
    ['ne', ['a', 'b'], true],
    ['lt', [1, 2], true],
    ['lt', ['b', 'a'], false],
    ['le', [2, 2], true],
    ['gt', [2, 1], true],
    ['ge', [1, 2], false],
    ['and', [1, 'a', true], true],
    ['and', [1, [], true], false],
    ['or', [0, '', null], false],
    ['or', [0, 'a'], true],
    ['not', [0], true],
    ['not', [[0]], false],
    ['default', [undefined, null, '', 0, 1], 0],
    ['default', ['', undefined], undefined],
    ['choose', [true, 'a', 'b'], 'a'],
    ['choose', ['', 'a', 'b'], 'b'],
    ['defined', [0], true],
    ['defined', [null], false],
    ['lookup', [object, 'spec', 'ports', 1, 'port'], 443],
    ['lookup', [object, 'spec', 'nothing', 'at', 'all'], undefined],
    ['lookup', [object, 'constructor'], undefined],
    ['lookup', ['text', 'length'], undefined],
    ['annotation', [object, 'x.io/a'], '1'],
    ['annotation', [{}, 'x'], undefined],
    ['label', [object, 'app'], 'web'],
    ['length', [[1, 2]], 2],
    ['length', ['abc'], 3],
    ['length', [{ a: 1 }], 1],
    ['length', [undefined], 0],
    ['keys', [{ b: 1, a: 2 }], ['a', 'b']],
    ['keys', [undefined], []],
    ['firstOf', [[1, 2]], 1],
    ['firstOf', [undefined], undefined],
    ['lastOf', [[1, 2]], 2],
    ['includes', [['a'], 'a'], true],
    ['includes', ['abc', 'bc'], true],
    ['includes', [undefined, 'a'], false],
    ['array', [1, 'a'], [1, 'a']],
    ['pluck', [object.spec.ports, 'port'], [80, 443]],
    ['range', [3], [0, 1, 2]],
    ['concat', ['a', 1, true], 'a1true'],
    ['join', [['a', 'b'], ','], 'a,b'],
    ['split', ['a,b', ','], ['a', 'b']],
    ['lower', ['AbC'], 'abc'],
    ['upper', ['aBc'], 'ABC'],
    ['trim', [' a '], 'a'],
    ['replace', ['a.b.c', '.', '$&'], 'a$&b$&c'],
    ['startsWith', ['/api', '/'], true],
    ['endsWith', ['a.example', '.com'], false],
    ['base64Decode', ['aGk='], 'hi'],
    ['number', ['42'], 42],
    ['number', [1.5], 1.5],
    ['add', [1, '2', 3], 6],
    ['subtract', [5, 3], 2],
    ['multiply', [2, 3, 4], 24],
    ['divide', [7, 2], 3],
    ['modulo', [7, 2], 1],
    ['min', [3, 1, 2], 1],
    ['max', [3, 1, 2], 3],
    ['fixed', [1.005, 1], '1.0'],
  ])('%s %j gives %j', (name, args, expected) => {
    expect(call(name, ...args)).toStrictEqual(expected);
  });

  it.each([
    ['lt', [1, '2'], /two numbers or two strings/],
    ['lt', [undefined, 1], /two numbers or two strings/],
    ['concat', [undefined], /no value here/],
    ['concat', [{}], /a text is needed/],
    ['join', ['a', ','], /a list is needed/],
    ['number', ['a'], /"a" is not a number/],
    ['number', [''], /"" is not a number/],
    ['number', [undefined], /undefined is not a number/],
    ['divide', [1, 0], /division by zero/],
    ['modulo', [1, 0], /division by zero/],
    ['range', [-1], /0 to 10000/],
    ['range', [10_001], /0 to 10000/],
    ['range', [1.5], /0 to 10000/],
  ])('%s %j is an error', (name, args, message) => {
    expect(() => call(name, ...args)).toThrow(message);
  });

  it('regexEscape makes any text match itself alone', () => {
    const text = '^a.b*c+d?(e)[f]{2}|g\\h$/-';
    expect(new RegExp(`^${String(call('regexEscape', text))}$`).test(text)).toBe(true);
    expect(new RegExp(`^${String(call('regexEscape', 'a.c'))}$`).test('abc')).toBe(false);
  });

  it('digest tells lists of parts apart that join to the same text', () => {
    expect(call('digest', 'a_b', 'c')).not.toBe(call('digest', 'a', 'b_c'));
    expect(call('digest', 'ab', 'c')).not.toBe(call('digest', 'a', 'bc'));
    expect(call('digest', 'a')).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('the table of helpers', () => {
  it('describes each, and has none whose name Handlebars takes for loop data', () => {
    for (const [name, spec] of Object.entries(allHelpers)) {
      expect(spec.summary.length, name).toBeGreaterThan(5);
      expect(['index', 'key', 'first', 'last', 'root']).not.toContain(name);
    }
  });
});
