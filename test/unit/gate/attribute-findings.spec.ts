import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeFindings } from '../../../src/gate/attribute-findings.ts';
import {
  editOrderedMap,
  entriesOf,
  getEntry,
  valuesOf,
  type OrderedMap,
} from '../../../src/lib/ordered-map.ts';
import type { Owner } from '../../../src/lib/owner.ts';
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

  const secret = { kind: 'Secret', namespace: 'default', name: 'tls' };
  const saying = (message: string) => ({ severity: 'alert' as const, message });

  it('blames the object that brought a file, whoever uses it and however the message writes its path', () => {
    const made = makePlan({
      core: { 'frontend http': 'frontend http from std\n  bind :443 ssl crt ssl/a.pem\n' },
      files: { 'ssl/a.pem': { text: 'x', kind: 'cert' } },
    });
    const file = getEntry(made.files, 'ssl/a.pem')!;
    const owned = { ...made, files: editOrderedMap(made.files, [['ssl/a.pem', { ...file, owner: secret }]]) };
    const messages = [
      "unable to load certificate from file 'ssl/a.pem': no start line.",
      "'ca-file' : unable to load ssl/a.pem.",
      'failed to open pattern file <ssl/a.pem>',
    ];
    for (const message of messages)
      expect(attributeFindings(owned, [{ ...at('haproxy.cfg', 2), message }])).toMatchObject([
        { section: { name: 'frontend http' }, owner: secret },
      ]);
    expect(attributeFindings(owned, [saying('unable to load ssl/b.pem.')])[0]?.owner).toBeUndefined();
  });

  it('tells whose line it is that names a file of somebody else', () => {
    const made = makePlan({
      backends: { shop: { profile: 'p' } },
      files: { 'ssl/a.pem': { text: 'x', kind: 'cert' } },
    });
    const file = getEntry(made.files, 'ssl/a.pem')!;
    const service = { kind: 'Service', namespace: 'default', name: 'shop' };
    const plan = (user: Owner) => ({
      ...made,
      sections: editOrderedMap(
        made.sections,
        [...entriesOf(made.sections)].map(([key, section]) => [key, { ...section, owner: user }]),
      ),
      files: editOrderedMap(made.files, [['ssl/a.pem', { ...file, owner: secret }]]),
    });
    const said = [{ ...at('haproxy.cfg', 1), message: "unknown keyword 'ssl/a.pem'" }];
    expect(attributeFindings(plan(service), said)).toMatchObject([{ owner: secret, usedBy: service }]);
    expect(attributeFindings(plan(secret), said)[0]?.usedBy).toBeUndefined();
  });

  it('tells whose entry of a crt-list it is', () => {
    const made = makePlan({ crtLists: { 'lists/a.txt': ['ssl/a.pem', 'ssl/b.pem'] } });
    const list = getEntry(made.crtLists, 'lists/a.txt')!;
    const entries = editOrderedMap(
      list.entries,
      [...entriesOf(list.entries)].map(([key, entry]) => [
        key,
        { ...entry, owner: { ...secret, name: entry.certificate } },
      ]),
    );
    const owned = {
      ...made,
      crtLists: editOrderedMap(made.crtLists, [['lists/a.txt', { ...list, entries }]]),
    };
    expect(attributeFindings(owned, [at('lists/a.txt', 2)])).toMatchObject([
      { owner: { ...secret, name: 'ssl/b.pem' } },
    ]);
  });

  it('names all users of a profile that an object brought, and nobody for one of the templates', () => {
    const made = makePlan({
      profiles: { own: ['timeout server x'], std: ['mode http'] },
      backends: { a: { profile: 'own' }, b: { profile: 'own' }, c: { profile: 'std' } },
    });
    const serviceOf = (name: string) => ({ kind: 'Service', namespace: 'default', name });
    const sections = [...entriesOf(made.sections)].map(([key, section]): [string, typeof section] => [
      key,
      section.name === 'own' ? { ...section, owner: serviceOf('a') } : section,
    ]);
    const owned = { ...made, sections: editOrderedMap(made.sections, sections) };
    const lines = Buffer.concat(getEntry(made.files, 'haproxy.cfg')!.content()).toString().split('\n');
    const [own, std] = ['defaults own', 'defaults std'].map((line) => lines.indexOf(line) + 1);
    expect(attributeFindings(owned, [at('haproxy.cfg', own ?? 0)])).toMatchObject([
      { section: { kind: 'profile', name: 'own' }, owner: serviceOf('a'), sharedBy: [serviceOf('b')] },
    ]);
    const [free] = attributeFindings(owned, [at('haproxy.cfg', std ?? 0)]);
    expect(free?.section).toEqual({ kind: 'profile', name: 'std' });
    expect(free?.sharedBy).toBeUndefined();
  });

  it('looks at each section and backend once or twice, however many messages there are', () => {
    const names = Array.from({ length: 300 }, (_, n) => `b${n}`);
    const profiles = names.slice(0, 100).map((name) => `p-${name}`);
    const made = makePlan({
      profiles: Object.fromEntries(profiles.map((name) => [name, ['mode http']])),
      backends: Object.fromEntries(names.map((name, n) => [name, { profile: profiles[n % 100] ?? '' }])),
    });
    let looks = 0;
    const counted = <V>(map: OrderedMap<V>): OrderedMap<V> => ({
      ...map,
      chunks: map.chunks.map((chunk) => ({
        ...chunk,
        values: new Proxy(chunk.values, {
          get: (values, field, receiver): unknown => {
            if (typeof field === 'string' && /^\d+$/.test(field)) looks++;
            return Reflect.get(values, field, receiver);
          },
        }),
      })),
    });
    const owned = editOrderedMap(
      made.sections,
      [...entriesOf(made.sections)].map(([key, section]) => [key, { ...section, owner: secret }]),
    );
    const plan = { ...made, sections: counted(owned), backends: counted(made.backends) };
    const messages = [...names.map(about), ...profiles.map((_, n) => at('haproxy.cfg', 2 * n + 1))];
    const found = attributeFindings(plan, messages);
    expect(found.filter(({ section }) => section?.kind === 'backend').length).toBeGreaterThanOrEqual(300);
    expect(found.at(-1)?.sharedBy?.length).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(2 * made.sections.size + made.backends.size);
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
