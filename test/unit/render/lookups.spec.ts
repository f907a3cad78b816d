import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { createWorld } from './renderer-world.ts';

const root = (lookup: string) => `
{{#forEach resources.askers as |a|}}
{{#each ${lookup} as |w|}}
# {{a.metadata.name}} {{w.metadata.name}}
{{/each}}
{{/forEach}}
`;

const asker = (name: string, ask: object): KubeObject => ({
  kind: 'Asker',
  metadata: { name, namespace: 'ns' },
  ...ask,
});
const widget = (name: string, spec: object, namespace = 'ns'): KubeObject => ({
  kind: 'Widget',
  metadata: { name, namespace },
  spec,
});

function setUp(lookup: string, indexBy: readonly string[] | undefined) {
  const world = createWorld({ root: root(lookup), resources: { askers: undefined, widgets: indexBy } });
  const put = (resource: string, object: KubeObject) =>
    world.resources[resource]?.set(`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object);
  const lines = () => {
    world.render();
    return world
      .text()
      .split('\n')
      .filter((line) => line.startsWith('#'))
      .map((line) => line.slice(2));
  };
  return { world, put, lines };
}

describe('lookups', () => {
  it('find an object under each value that a path gives, and once however many are asked for', () => {
    const { put, lines, world } = setUp('(list "widgets" a.host)', ['spec.rules[*].host']);
    put('askers', asker('one', { host: 'a' }));
    put('askers', asker('two', { host: 'b' }));
    put('widgets', widget('w', { rules: [{ host: 'a' }, { host: 'b' }, { host: 'a' }] }));
    put('widgets', widget('v', { rules: [{ host: 'b' }] }));
    expect(lines()).toStrictEqual(['one w', 'two v', 'two w']);
    put('widgets', widget('w', { rules: [{ host: 'b' }] }));
    expect(lines()).toStrictEqual(['two v', 'two w']);
    world.resources['widgets']?.delete('ns/v');
    expect(lines()).toStrictEqual(['two w']);
  });

  it('find by several keys in their order, and by the first ones alone', () => {
    const indexBy = ['spec.zone', 'spec.app'];
    const both = setUp('(list "widgets" a.zone a.app)', indexBy);
    const first = setUp('(list "widgets" a.zone)', indexBy);
    for (const { put } of [both, first]) {
      put('askers', asker('one', { zone: 'z1', app: 'x' }));
      put('widgets', widget('a', { zone: 'z1', app: 'x' }));
      put('widgets', widget('b', { zone: 'z1', app: 'y' }));
      put('widgets', widget('c', { zone: 'z2', app: 'x' }));
    }
    expect(both.lines()).toStrictEqual(['one a']);
    expect(first.lines()).toStrictEqual(['one a', 'one b']);
  });

  it('do not find an object that lacks a key, and list it nevertheless', () => {
    const indexBy = ['spec.zone', 'spec.app'];
    const byKeys = setUp('(list "widgets" a.zone a.app)', indexBy);
    const all = setUp('(list "widgets")', indexBy);
    for (const { put } of [byKeys, all]) {
      put('askers', asker('one', { zone: 'z1', app: 'x' }));
      put('widgets', widget('whole', { zone: 'z1', app: 'x' }));
      put('widgets', widget('partly', { zone: 'z1' }));
      put('widgets', widget('bare', {}));
    }
    expect(byKeys.lines()).toStrictEqual(['one whole']);
    expect(all.lines()).toStrictEqual(['one bare', 'one partly', 'one whole']);
    byKeys.put('widgets', widget('partly', { zone: 'z1', app: 'x' }));
    expect(byKeys.lines()).toStrictEqual(['one partly', 'one whole']);
  });

  it('tell keys apart that would be the same if they were joined', () => {
    const { put, lines } = setUp('(list "widgets" a.zone a.app)', ['spec.zone', 'spec.app']);
    put('askers', asker('one', { zone: 'a/b', app: 'c' }));
    put('widgets', widget('right', { zone: 'a/b', app: 'c' }));
    put('widgets', widget('wrong', { zone: 'a', app: 'b/c' }));
    expect(lines()).toStrictEqual(['one right']);
  });

  it('find what a scan would find, in the order of keys, whatever changed', () => {
    const value = fc.constantFrom('a', 'b', 'c');
    const edit = fc.record({
      name: fc.constantFrom('w1', 'w2', 'w3'),
      values: fc.option(fc.array(value, { maxLength: 3 })),
    });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 20 }), value, (edits, asked) => {
        const { put, lines, world } = setUp('(list "widgets" a.host)', ['spec.hosts[*]']);
        put('askers', asker('x', { host: asked }));
        const model = new Map<string, readonly string[]>();
        for (const { name, values } of edits) {
          if (values === null) {
            world.resources['widgets']?.delete(`ns/${name}`);
            model.delete(name);
          } else {
            put('widgets', widget(name, { hosts: values }));
            model.set(name, values);
          }
          const expected = [...model].filter(([, hosts]) => hosts.includes(asked)).map(([one]) => `x ${one}`);
          expect(lines()).toStrictEqual(expected.sort());
        }
      }),
      { numRuns: 50 },
    );
  });
});
