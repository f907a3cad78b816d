import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { httpContentSchema } from '../fixtures/http-content-schema.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createGraph } from '../../src/collections/create-graph.ts';
import { httpHelpers } from '../../src/templates/helpers/http.ts';
import type { HttpContent } from '../../src/protocol/http-content.ts';
import { buildWorld } from '../../src/world/build-world.ts';
import { filesOf } from '../unit/render/renderer-world.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/http-content.md'), 'utf8');
const blockOf = (language: string): string =>
  new RegExp('```' + language + '\\n([\\s\\S]*?)```').exec(page)?.[1] ?? '';
const rowsOf = (heading: string): readonly (readonly string[])[] => {
  const section = page.slice(page.indexOf(`## ${heading}`)).split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name = '', value = '']) => [name, value]);
};

function render(configuration: string, text: string, urls: readonly string[]) {
  const graph = createGraph();
  const contents = graph.source<HttpContent>('http');
  const asked: string[] = [];
  for (const url of urls) contents.set(url, { kind: 'content', text, digest: text });
  const world = buildWorld({
    config: loadConfig([{ name: 'page', text: configuration }]),
    constants: {},
    http: {
      graph,
      reads: {
        contents,
        want: ({ url, headers }) => {
          asked.push([url, ...Object.values(headers)].join(' '));
          return url;
        },
        absent: { kind: 'waiting' },
      },
    },
  });
  const turn = () => {
    world.graph.advance();
    return world.renderer.bundle();
  };
  return { world, turn, asked };
}

describe('docs/http-content.md', () => {
  it('has a list that becomes the map that it shows', () => {
    const { turn } = render(blockOf('yaml'), blockOf('text'), ['https://lists.example.com/blocked.txt']);
    const bundle = turn();
    expect(bundle.problems).toStrictEqual([]);
    expect(filesOf(bundle)['maps/blocked.map']).toBe(blockOf('file maps/blocked.map'));
  });

  it('has an example of credentials that are sent', () => {
    const configuration = JSON.stringify({
      haproxyConfig: { template: blockOf('handlebars') },
      watchedResources: { secrets: { apiVersion: 'v1', resources: 'secrets' } },
    });
    const { world, turn, asked } = render(configuration, 'abc\n', ['https://partners.example.com/keys']);
    world.stores.get('secrets')?.set('ns/a', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', namespace: 'ns' },
      data: { token: Buffer.from('s3cret').toString('base64') },
    });
    const bundle = turn();
    expect(bundle.problems).toStrictEqual([]);
    expect(filesOf(bundle)['maps/keys.map']).toBe('abc 1\n');
    expect(asked).toStrictEqual(['https://partners.example.com/keys Bearer s3cret']);
  });

  it('lists the arguments of http', () => {
    const named = rowsOf('Say how it is fetched').map(([name]) => name);
    const of = new Set(httpHelpers['http']?.hash);
    for (const name of ['username', 'password', 'token', 'headers']) of.delete(name);
    expect(named.toSorted()).toStrictEqual([...of].sort());
  });

  it('lists the fields of httpContent with their defaults', () => {
    const { properties } = httpContentSchema();
    const shown = (value: unknown) => (Array.isArray(value) ? 'all' : `\`${String(value)}\``);
    expect(rowsOf('What may be asked')).toStrictEqual(
      Object.entries(properties).map(([name, field]) => [name, shown(field.default)]),
    );
  });

  it('lists the reasons of problems that the source has', () => {
    const sources = [
      'src/lib/http/fetch-outcome.ts',
      'src/streams/http-book.ts',
      'src/streams/http-entry.ts',
    ];
    const text = [...sources, 'src/templates/helpers/http.ts']
      .map((file) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8'))
      .join('\n');
    const reasons = rowsOf('Watch it').map(([name = '']) => name);
    expect(reasons.length).toBeGreaterThan(7);
    for (const reason of reasons) expect(text).toContain(`'${reason}'`);
  });
});
