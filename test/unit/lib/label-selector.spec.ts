import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelSelectorOf, parseLabelSelector } from '../../../src/lib/label-selector.ts';

const field = 'watchedResources.pods.labelSelector';
const parse = (text: string) => parseLabelSelector(text, field);

describe('parseLabelSelector', () => {
  it.each([
    ['', {}, true],
    ['  ', { a: 'b' }, true],
    ['a=b', { a: 'b' }, true],
    ['a == b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a!=b', { a: 'b' }, false],
    ['a!=b', { a: 'c' }, true],
    ['a!=b', {}, true],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['! a', { a: 'b' }, false],
    ['a in (b, c)', { a: 'c' }, true],
    ['a in (b,c)', { a: 'd' }, false],
    ['a in (b,c)', {}, false],
    ['a in (,b)', { a: '' }, true],
    ['a in ()', { a: '' }, true],
    ['a notin (b)', {}, true],
    ['a notin (b)', { a: 'b' }, false],
    ['a notin (b)', { a: 'c' }, true],
    ['a>3', { a: '4' }, true],
    ['a>3', { a: '3' }, false],
    ['a<3', { a: '2' }, true],
    ['a<3', { a: 'x' }, false],
    ['a<3', {}, false],
    ['in in (in)', { in: 'in' }, true],
    [
      'app.kubernetes.io/name=x,tier in (web,api),!gone',
      { 'app.kubernetes.io/name': 'x', tier: 'api' },
      true,
    ],
    ['app.kubernetes.io/name=x,tier in (web,api),!gone', { tier: 'api' }, false],
    ['constructor', {}, false],
    ['!toString', {}, true],
  ])('%j of %j: %s', (text, labels, expected) => {
    expect(parse(text).matches(labels)).toBe(expected);
  });

  it('takes an object without labels for one with none', () => {
    expect(parse('!a,b!=c').matches(undefined)).toBe(true);
    expect(parse('a').matches(undefined)).toBe(false);
  });

  it.each([
    ['a=b,', /a label is expected, but it ends at character 5/],
    [',a', /a label is expected, not "," at character 1/],
    ['a in b', /"\(" is expected, not "b" at character 6/],
    ['a in (b', /"," or "\)" is expected, but it ends/],
    ['a b', /=, !=, in, notin, > or < is expected, not "b" at character 3/],
    ['a=b c', /"," is expected, not "c" at character 5/],
    ['a>x', /an integer is expected, not "x"/],
    ['-a=b', /"-a" is not a label's name at character 1/],
    ['A.B/c=d', /"A.B\/c" is not a label's name/],
    ['a=b/c', /"b\/c" is not a label's value at character 3/],
    ['a==!b', /a value is expected, not "!"/],
    ['a/b/c', /is not a label's name/],
  ])('refuses %j and says where', (text, message) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(field);
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'HAPTIC_ERR_CONFIG_LABEL_SELECTOR' }));
  });

  it('shows the beginning of a long text only', () => {
    expect(() => parse(`${'a'.repeat(5000)} b`)).toThrow(/^.{0,500}$/);
  });

  it('gives equal selectors one text', () => {
    expect(parse('b in (z,y,y), a==1').text).toBe('a=1,b in (y,z)');
    expect(parse('a=1,b in (y,z),a in (1)').text).toBe('a=1,b in (y,z)');
    expect(parse('!c , d').text).toBe('!c,d');
  });

  it('lists requirements as matchExpressions have them', () => {
    expect(parse('a!=b,c').requirements).toStrictEqual([
      { key: 'a', operator: 'NotIn', values: ['b'] },
      { key: 'c', operator: 'Exists', values: [] },
    ]);
  });

  it('reads what it prints', () => {
    const key = fc.constantFrom('a', 'b', 'in', 'notin', 'x.y/z');
    const one = fc.constantFrom('', '1', '2', 'in', 'v-1');
    const requirement = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom('In' as const, 'NotIn' as const),
        values: fc.uniqueArray(one, { minLength: 1 }).map((values) => values.sort()),
      }),
      fc.record({
        key,
        operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
        values: fc.constant([]),
      }),
      fc.record({
        key,
        operator: fc.constantFrom('Gt' as const, 'Lt' as const),
        values: fc.tuple(fc.constantFrom('1', '-5')),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(requirement, { maxLength: 4 }),
        fc.dictionary(key, one, { maxKeys: 4 }),
        (requirements, labels) => {
          const made = labelSelectorOf(requirements);
          const read = parse(made.text);
          expect(read.text).toBe(made.text);
          expect(read.requirements).toEqual(made.requirements);
          expect(read.matches(labels)).toBe(made.matches(labels));
        },
      ),
    );
  });

  it('answers to any text with a selector or a coded refusal', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parse(parse(text).text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'HAPTIC_ERR_CONFIG_LABEL_SELECTOR' });
        }
      }),
    );
  });
});
