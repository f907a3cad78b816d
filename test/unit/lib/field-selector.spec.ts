import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from '../../../src/lib/field-selector.ts';

const field = 'watchedResources.ingresses.fieldSelector';
const parse = (text: string) => parseFieldSelector(text, field);

const object = {
  metadata: { name: 'front', namespace: 'shop', labels: { 'a.b/c': 'x', 'k=v,w': 'y' } },
  spec: {
    ingressClassName: 'haproxy',
    replicas: 3,
    paused: false,
    hosts: ['a', 'b'],
    rules: [{ host: 'h' }],
  },
};

describe('parseFieldSelector', () => {
  it.each([
    ['', true],
    ['spec.ingressClassName=haproxy', true],
    ['spec.ingressClassName==haproxy', true],
    [' spec.ingressClassName = haproxy ', true],
    ['$.spec.ingressClassName=haproxy', true],
    ['spec.ingressClassName=nginx', false],
    ['spec.ingressClassName!=nginx', true],
    ['spec.ingressClassName!=haproxy', false],
    ['spec.replicas=3', true],
    ['spec.paused=false', true],
    ['spec.missing=', true],
    ['spec.missing!=', false],
    ['spec.missing=x', false],
    ['spec.missing!=x', true],
    ['spec.ingressClassName!=', true],
    ['spec.hosts[*]=b', true],
    ['spec.hosts[*]!=b', false],
    ['spec.hosts[0]=b', false],
    ['spec.rules[0].host=h', true],
    ["metadata.labels['a.b/c']=x", true],
    ["metadata.labels['k=v,w']=y,metadata.name=front", true],
    ['metadata.name=front,metadata.namespace=shop', true],
    ['metadata.name=front,metadata.namespace=blog', false],
    ['metadata.name!=front,metadata.namespace=shop', false],
  ])('%j: %s', (text, expected) => {
    expect(parse(text).matches(object)).toBe(expected);
  });

  it('reads escaped values', () => {
    expect(parse('spec.a=x\\,y\\=z\\\\').matches({ spec: { a: 'x,y=z\\' } })).toBe(true);
  });

  it.each([
    ['spec', /a term is expected at character 1/],
    ['a=b,', /a term is expected at character 5/],
    ['a=b,c', /a term is expected at character 5/],
    ['=b', /a term is expected at character 1/],
    ['a=b=c', /"=" has to be written with a backslash before it at character 4/],
    ['spec[?(@.x)]=b', /is not a path such as/],
    ['spec..x=b', /is not a path such as/],
  ])('refuses %j and says where', (text, message) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(field);
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'HAPTIC_ERR_CONFIG_FIELD_SELECTOR' }));
  });

  it('gives equal selectors one text', () => {
    expect(parse('b!=2 , a == 1').text).toBe('a=1,b!=2');
    expect(parse('a=1,b!=2,a=1').text).toBe('a=1,b!=2');
  });

  it('reads what it prints', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom('spec.a', "metadata.labels['k=v']", 'x[*].y'),
            fc.constantFrom('=', '!='),
            fc.string().map((text) => text.trim()),
          ),
          { minLength: 1, maxLength: 4 },
        ),
        (terms) => {
          const text = terms
            .map(([path, operator, value]) => `${path}${operator}${value.replace(/[\\,=]/g, '\\$&')}`)
            .join(',');
          const read = parse(text);
          expect(parse(read.text).text).toBe(read.text);
          for (const [path, operator, value] of terms)
            expect(read.terms).toContainEqual(expect.objectContaining({ path, operator, value }));
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
          expect(error).toMatchObject({ code: 'HAPTIC_ERR_CONFIG_FIELD_SELECTOR' });
        }
      }),
    );
  });
});
