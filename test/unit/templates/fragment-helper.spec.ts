import { describe, expect, it } from 'vitest';
import type { SourceCollection } from '../../../src/collections/types.ts';
import type { HttpContent } from '../../../src/protocol/http-content.ts';
import { briefly, createWorld, filesOf, widget, type WorldOptions } from '../render/renderer-world.ts';

const url = 'https://lists.example/a';

function worldOf(options: Partial<WorldOptions>) {
  let contents: SourceCollection<HttpContent> | undefined;
  const world = createWorld({
    root: 'global\n',
    resources: { widgets: undefined },
    ...options,
    http: (graph) => {
      contents = graph.source<HttpContent>('http');
      return { contents, want: (want) => want.url, absent: { kind: 'waiting' } };
    },
  });
  return { ...world, set: (content: HttpContent) => contents?.set(url, content) };
}

const content = (text: string): HttpContent => ({ kind: 'content', text, digest: text });
const blocked = `{{#fragment}}
{{#each (lines (http "${url}")) as |line|}}{{line}} 1
{{/each}}
{{/fragment}}`;

describe('fragment', () => {
  it('prints a map from a URL, and follows it', () => {
    const world = worldOf({ maps: { 'blocked.map': { template: blocked } } });
    expect(world.text('maps/blocked.map')).toBe('');
    expect(briefly(world.render().problems)).toStrictEqual([
      expect.stringContaining(`${url} was not fetched yet`),
    ]);
    world.set(content('10.0.0.1\n10.0.0.2\n'));
    expect(world.text('maps/blocked.map')).toBe('10.0.0.1 1\n10.0.0.2 1\n');
    world.set(content('10.0.0.3\n'));
    expect(world.text('maps/blocked.map')).toBe('10.0.0.3 1\n');
    expect(world.render().problems).toStrictEqual([]);
  });

  it('is printed again when an object changes that it looks at, and is owned by its template', () => {
    const world = worldOf({
      root: '{{#fragment}}\n{{#with (fetch "widgets" "ns" "a") as |w|}}\n# {{w.spec.color}}\n{{else}}\n# none\n{{/with}}\n{{/fragment}}',
    });
    expect(world.text()).toContain('# none');
    world.resources['widgets']?.set('ns/a', widget('a', { color: 'red' }));
    expect(world.text()).toContain('# red');
    world.resources['widgets']?.set('ns/a', widget('a', { color: 'two words' }));
    const bundle = world.render();
    expect(filesOf(bundle)['haproxy.cfg']).toContain('# red');
    expect(bundle.problems).toMatchObject([{ owner: { kind: 'Template', name: 'haproxyConfig' } }]);
  });

  it('stands in the text at its place, also twice and in snippets', () => {
    const world = worldOf({
      root: 'global\n{{> list x=1}}\n{{> list x=2}}\nlisten last\n',
      snippets: { list: `{{#fragment}}\n    # {{{http "${url}"}}}\n{{/fragment}}\n` },
    });
    world.set(content('one'));
    expect(world.text().replace(/\s+/g, ' ').trim()).toBe('global # one # one listen last');
  });

  it.each([
    ['{{#fragment x}}{{/fragment}}', 'fragment has neither arguments nor block parameters'],
    ['{{#fragment as |x|}}{{/fragment}}', 'fragment has neither arguments nor block parameters'],
    ['{{#fragment}}{{else}}{{/fragment}}', 'a fragment has no {{else}}'],
    ['{{#fragment}}{{#fragment}}{{/fragment}}{{/fragment}}', 'a fragment cannot stand in a fragment'],
    [
      '{{#forEach resources.widgets as |w|}}{{#fragment}}{{/fragment}}{{/forEach}}',
      'a fragment cannot stand in a fragment',
    ],
    ['{{#backend "b"}}{{#fragment}}{{/fragment}}{{/backend}}', 'a fragment cannot stand in a backend block'],
    ['{{#fragment}}{{nonsense}}{{/fragment}}', 'unknown name "nonsense"'],
    [`{{http "${url}"}}`, 'http can stand in a forEach body only'],
  ])('refuses %s', (root, message) => {
    expect(() => worldOf({ root })).toThrow(message);
  });
});
