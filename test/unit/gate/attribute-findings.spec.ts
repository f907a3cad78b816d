import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeFindings } from '../../../src/gate/attribute-findings.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const at = (file: string, line: number) => ({ severity: 'alert' as const, message: 'm', file, line });
const about = (proxy: string) => ({ severity: 'alert' as const, message: 'm', proxy });

describe('attributeFindings', () => {
  it('finds the section in which a line begins, for every line of any configuration', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'ä'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
        const plan = makePlan({ core: Object.fromEntries(texts.map((one, n) => [`s${n}`, one])) });
        const starts: number[] = [];
        const whole = texts.join('');
        for (let i = 0; i < whole.length; i++) if (i === 0 || whole[i - 1] === '\n') starts.push(i);
        const sectionAt = (offset: number) => {
          let end = 0;
          return texts.findIndex((one) => (end += one.length) > offset);
        };
        const findings = attributeFindings(plan, starts.map((_, n) => at('haproxy.cfg', n + 1)).reverse());
        expect(findings.map(({ section }) => section?.name).reverse()).toEqual(
          starts.map((offset) => `s${sectionAt(offset)}`),
        );
      }),
    );
  });

  const plan = makePlan({
    core: { global: 'global\n', 'frontend http': 'frontend http from std\n  bind :80\n' },
    backends: { shop: { servers: [{ name: 'a', address: '10.0.0.1', port: 80 }] } },
    maps: { 'maps/re.map': { ordered: true, entries: [['^/z', 'shop'], ['^/(a', 'shop']] } }, // prettier-ignore
  });
  const owner = { kind: 'Service', namespace: 'default', name: 'shop' };

  it('tells owner and template of the section', () => {
    expect(attributeFindings(plan, [at('haproxy.cfg', 5)])).toEqual([
      {
        ...at('haproxy.cfg', 5),
        section: { kind: 'backend', name: 'shop' },
        template: 'backends:1:1',
        owner,
      },
    ]);
  });

  it('tells the key of a map entry, and its owner', () => {
    const owned = {
      ...plan,
      maps: {
        ...plan.maps,
        chunks: plan.maps.chunks.map((chunk) => ({
          ...chunk,
          values: chunk.values.map((map) => ({
            ...map,
            entries: {
              ...map.entries,
              chunks: map.entries.chunks.map((one) => ({
                ...one,
                values: one.values.map((entry) => ({ ...entry, owner })),
              })),
            },
          })),
        })),
      },
    };
    expect([...valuesOf(owned.maps)]).toHaveLength(1);
    expect(attributeFindings(owned, [at('maps/re.map', 2)])).toEqual([
      { ...at('maps/re.map', 2), mapKey: '^/(a', owner },
    ]);
    expect(attributeFindings(plan, [at('maps/re.map', 1)])).toEqual([
      { ...at('maps/re.map', 1), mapKey: '^/z' },
    ]);
  });

  it('finds the proxy that a message names without a line', () => {
    expect(attributeFindings(plan, [about('shop'), about('http')])).toMatchObject([
      { section: { kind: 'backend', name: 'shop' }, owner },
      { section: { kind: 'core', name: 'frontend http' } },
    ]);
  });

  it('leaves alone what names nothing known', () => {
    const messages = [
      at('haproxy.cfg', 99),
      at('maps/none.map', 1),
      at('maps/re.map', 3),
      { severity: 'alert' as const, message: 'm' },
    ];
    expect(attributeFindings(plan, messages)).toEqual(messages);
    expect(attributeFindings(plan, [about('nobody')])).toEqual([{ severity: 'alert', message: 'm' }]);
  });
});
