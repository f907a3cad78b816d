import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../../src/lib/ordered-map.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { templateErrorsOf } from '../../../src/templates/template-error.ts';
import { briefly, createWorld, filesOf, widget, type World, type WorldOptions } from './renderer-world.ts';

const over = (root: string, more: Partial<WorldOptions> = {}) =>
  createWorld({ root, resources: { widgets: undefined }, ...more });

function put(world: World, name: string, spec: Readonly<Record<string, unknown>> | undefined): void {
  if (spec === undefined) world.resources['widgets']?.delete(`ns/${name}`);
  else world.resources['widgets']?.set(`ns/${name}`, widget(name, spec));
}

describe('collect', () => {
  const byColor = `{{#forEach collected.colors as |c key|}}
{{comment (concat key "=" c.key ": " (join c.values ",") " first " c.value)}}
{{/forEach}}
{{#forEach resources.widgets as |w|}}{{#if w.spec.color}}{{collect "colors" w.spec.color w.metadata.name}}{{/if}}{{/forEach}}`;

  it('fills a collection that a forEach goes through, even one that stands before', () => {
    const world = over(byColor);
    put(world, 'a', { color: 'red' });
    put(world, 'b', { color: 'blue' });
    put(world, 'c', { color: 'red' });
    expect(world.text().trim()).toBe('# blue=blue: b first b\n# red=red: a,c first a');
    put(world, 'a', { color: 'blue' });
    expect(world.text().trim()).toBe('# blue=blue: a,b first a\n# red=red: c first c');
    put(world, 'c', undefined);
    expect(world.text().trim()).toBe('# blue=blue: a,b first a');
  });

  it('prints anew only what reads a changed value', () => {
    let now = 0;
    const world = over(byColor, { profileClock: () => now++ });
    for (const name of ['a', 'b', 'c', 'd']) put(world, name, { color: name });
    world.render();
    const countOf = () =>
      world.renderer.profile().find(({ kind, name }) => kind === 'fragment' && name === 'haproxyConfig:1:1')
        ?.count;
    expect(countOf()).toBe(4);
    put(world, 'a', { color: 'b' });
    world.render();
    // The group of b, and no other; that of a is gone.
    expect(countOf()).toBe(5);
  });

  it('can be looked up by key in fragments that come later and earlier', () => {
    const world = over(`{{#forEach resources.widgets as |w|}}
{{#with (fetch "collected.sizes" w.spec.color) as |s|}}{{comment (concat w.metadata.name " " (sum s.values))}}{{/with}}
{{/forEach}}
{{#forEach resources.widgets as |w|}}{{collect "sizes" w.spec.color w.spec.size}}{{/forEach}}
{{#forEach resources.widgets as |w|}}{{#if (eq w.metadata.name "a")}}{{comment (length (list "collected.sizes"))}}{{/if}}{{/forEach}}`);
    put(world, 'a', { color: 'red', size: 2 });
    put(world, 'b', { color: 'red', size: 3 });
    put(world, 'c', { color: 'blue', size: 4 });
    expect(world.text().match(/#.*/g)).toStrictEqual(['# a 5', '# b 5', '# c 4', '# 2']);
    put(world, 'b', { color: 'green', size: 3 });
    expect(world.text().match(/#.*/g)).toStrictEqual(['# a 2', '# b 3', '# c 4', '# 3']);
  });

  it('goes over several stages', () => {
    const world = over(`{{#forEach collected.sizes as |s|}}
{{comment (concat s.key ": " (join s.values ","))}}
{{/forEach}}
{{#forEach collected.colors as |c|}}{{collect "sizes" (length c.values) c.key}}{{/forEach}}
{{#forEach resources.widgets as |w|}}{{collect "colors" w.spec.color 1}}{{/forEach}}`);
    for (const [name, color] of Object.entries({ a: 'red', b: 'red', c: 'blue', d: 'green' }))
      put(world, name, { color });
    expect(world.text().trim().split('\n')).toStrictEqual(['# 1: blue,green', '# 2: red']);
  });

  it.each([
    [
      'directly',
      '{{#forEach collected.a as |x|}}{{collect "a" x.key 1}}{{/forEach}}',
      ['haproxyConfig:1:1: what is collected here (a) depends on what is collected here'],
    ],
    [
      'by way of a lookup',
      '\n {{#forEach resources.widgets as |w|}}{{collect "a" "k" (length (list "collected.b"))}}{{/forEach}}{{#forEach collected.a as |x|}}{{collect "b" x.key 1}}{{/forEach}}',
      ['haproxyConfig:2:2: what is collected here (a) depends on what is collected here'],
    ],
  ])('refuses a collection that depends on itself %s', (_how, root, expected) => {
    try {
      over(root);
      expect.unreachable();
    } catch (error) {
      const places = templateErrorsOf(error).map((e) => `${e.template}:${e.line}:${e.column}: ${e.message}`);
      expect(places).toStrictEqual(expected);
    }
  });

  it('is empty as long as nobody collects anything', () => {
    const world = over(byColor);
    put(world, 'a', {});
    expect(world.text().trim()).toBe('');
  });

  it('keeps what a refused object gave before, like all of its output', () => {
    const world = over(
      '{{#forEach resources.widgets as |w|}}{{collect "colors" w.spec.color 1}}{{#if w.spec.bad}}{{fail "no"}}{{/if}}{{/forEach}}{{#forEach collected.colors as |c|}}\n{{comment c.key}}\n{{/forEach}}',
    );
    put(world, 'a', { color: 'red' });
    expect(world.text().trim()).toBe('# red');
    put(world, 'a', { color: 'blue', bad: true });
    expect(world.text().trim()).toBe('# red');
    expect(briefly(world.render().problems)).toStrictEqual([expect.stringContaining('TemplateFailed a')]);
  });
});

describe('once', () => {
  const root = `{{#forEach resources.widgets as |w|}}
{{#once "list" w.spec.color}}
userlist {{w.spec.color}} # by {{w.metadata.name}}
{{/once}}
{{/forEach}}`;

  it('prints for the first in print order, and for the next one when that goes', () => {
    const world = over(root);
    put(world, 'b', { color: 'red' });
    put(world, 'c', { color: 'red' });
    put(world, 'd', { color: 'blue' });
    expect(world.text().match(/userlist.*/g)).toStrictEqual(['userlist red # by b', 'userlist blue # by d']);
    put(world, 'a', { color: 'red' });
    expect(world.text().match(/userlist.*/g)).toStrictEqual(['userlist red # by a', 'userlist blue # by d']);
    put(world, 'a', { color: 'blue' });
    expect(world.text().match(/userlist.*/g)).toStrictEqual(['userlist blue # by a', 'userlist red # by b']);
    expect(world.render().problems).toStrictEqual([]);
  });

  it('tells lists of keys apart, however they are joined', () => {
    const world = over(
      '{{#forEach resources.widgets as |w|}}{{#once w.spec.a w.spec.b}}\n# {{w.metadata.name}}\n{{/once}}{{/forEach}}',
    );
    put(world, 'x', { a: 'a_b', b: 'c' });
    put(world, 'y', { a: 'a', b: 'b_c' });
    expect(world.text().match(/# ./g)).toStrictEqual(['# x', '# y']);
  });

  it('works in the text around fragments, in snippets and in files', () => {
    const world = over('{{> s}}{{> s}}{{#once "k"}}again{{/once}}', {
      snippets: { s: '{{#once "k"}}text\n{{/once}}' },
      files: {
        'a.txt': {
          template:
            '{{#forEach resources.widgets as |w|}}{{#once "x"}}{{w.metadata.name}}{{/once}},{{/forEach}}',
        },
        'b.txt': { template: '{{#once "x"}}b{{/once}}{{#once "x"}}c{{/once}}' },
      },
    });
    put(world, 'v', {});
    put(world, 'w', {});
    const files = filesOf(world.render());
    expect(files['haproxy.cfg']?.trim()).toBe('text');
    expect(files['general/a.txt']).toBe('v,,');
    expect(files['general/b.txt']?.trim()).toBe('b');
    put(world, 'v', undefined);
    expect(filesOf(world.render())['general/a.txt']).toBe('w,');
  });
});

/** Everything that declares, in a form whose result depends on many objects. */
const everything: WorldOptions = {
  root: `{{#forEach resources.widgets as |w|}}
{{collect "colors" w.spec.color w.metadata.name}}
{{#once "userlist" w.spec.color}}
userlist {{w.spec.color}}
  user {{w.metadata.name}}
{{/once}}
{{statusPatch w rendered=(object color=w.spec.color)}}
{{#if w.spec.odd}}{{recordEvent w "Odd" (concat "color " w.spec.color)}}{{/if}}
{{/forEach}}
{{#forEach collected.colors as |c|}}
{{comment (concat c.key " " (json c.values))}}
{{collect "sizes" (length c.values) c.key}}
{{/forEach}}
{{#forEach collected.sizes as |s|}}
{{mapEntry "maps/sizes.map" (mapKey s.key) (mapValue (join s.values ","))}}
{{/forEach}}`,
  files: {
    'once.txt': {
      template:
        '{{#forEach resources.widgets as |w|}}{{#once w.spec.color}}{{w.metadata.name}};{{/once}}{{/forEach}}\n',
    },
  },
  resources: { widgets: undefined },
  config: {
    sslCertificates: {
      'whole.pem': {
        template:
          '{{#forEach resources.widgets as |w|}}{{#if w.spec.odd}}-----BEGIN CERTIFICATE-----\nQUJD\n\n-----END CERTIFICATE-----{{/if}}{{/forEach}}',
      },
    },
    crtLists: {
      'own.txt': {
        template:
          'ssl/whole.pem\n{{#forEach resources.widgets as |w|}}\nssl/{{w.spec.color}}.pem {{w.metadata.name}}.example\n{{/forEach}}',
        postProcessing: [{ type: 'regex_replace', params: { pattern: '[.]example$', replace: '.test' } }],
      },
    },
    k8sResources: {
      colors: {
        template:
          '{{#forEach resources.widgets as |w|}}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{w.spec.color}} }\ndata: {by: {{json w.metadata.name}} }\n{{/forEach}}',
      },
    },
  },
};

function contentOf(bundle: Bundle) {
  const { resources, statusPatches, events } = bundle;
  return {
    id: bundle.plan.id,
    files: filesOf(bundle),
    resources: resources ? [...entriesOf(resources)] : [],
    statusPatches: statusPatches ? [...entriesOf(statusPatches)] : [],
    events: events ? [...entriesOf(events)] : [],
    problems: briefly(bundle.problems),
  };
}

const spec = fc.record({ color: fc.constantFrom('red', 'blue', 'green'), odd: fc.boolean() });
const edit = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  spec: fc.option(spec, { nil: undefined }),
});
const turns = fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });

describe('a bundle made in steps', () => {
  it('declares and collects what one made from scratch does, whatever the order of arrival', () => {
    fc.assert(
      fc.property(turns, fc.nat(), (history, seed) => {
        const steps = createWorld({ ...everything, graph: { checkPurity: { seed } } });
        for (const turn of history) {
          for (const one of turn) put(steps, one.name, one.spec);
          steps.render();
        }
        const last = new Map(history.flat().map((one) => [one.name, one.spec]));
        const scratch = createWorld(everything);
        for (const [name, value] of [...last].reverse()) put(scratch, name, value);
        expect(contentOf(steps.render())).toStrictEqual(contentOf(scratch.render()));
      }),
      { numRuns: 100 },
    );
  }, 120_000);

  it('is the same object, maps included, when a turn changed nothing that it says', () => {
    const world = createWorld(everything);
    put(world, 'a', { color: 'red', odd: true });
    const before = world.render();
    put(world, 'a', { color: 'red', odd: true, other: 1 });
    const after = world.render();
    expect(after.resources).toBe(before.resources);
    expect(after.statusPatches).toBe(before.statusPatches);
    expect(after.events).toBe(before.events);
    expect(after.plan).toBe(before.plan);
    put(world, 'a', { color: 'red', odd: false });
    const changed = world.render();
    expect(changed.events?.size).toBe(0);
    expect(changed.statusPatches).toBe(before.statusPatches);
  });
});
