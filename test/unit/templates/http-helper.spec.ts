import { describe, expect, it } from 'vitest';
import type { SourceCollection } from '../../../src/collections/types.ts';
import type { HttpContent, HttpWant } from '../../../src/protocol/http-content.ts';
import { briefly, createWorld, widget } from '../render/renderer-world.ts';

/** A world with one item, `ns/a`, whose fragment is `body`; what it wanted, and the contents to write. */
function worldOf(body: string, options: { readonly extraContext?: Record<string, unknown> } = {}) {
  const wanted: HttpWant[] = [];
  let contents: SourceCollection<HttpContent> | undefined;
  const world = createWorld({
    root: `{{#forEach resources.widgets as |w|}}\n${body}\n{{/forEach}}`,
    resources: { widgets: undefined },
    ...options,
    http: (graph) => {
      contents = graph.source<HttpContent>('http');
      const want = (one: HttpWant): string => {
        wanted.push(one);
        return one.url;
      };
      return { contents, want, absent: { kind: 'waiting' } };
    },
  });
  world.resources['widgets']?.set('ns/a', widget('a'));
  const set = (url: string, content: HttpContent) => contents?.set(url, content);
  return { ...world, wanted, set };
}

const content = (text: string): HttpContent => ({ kind: 'content', text, digest: text });
const problemsOf = (world: ReturnType<typeof worldOf>) => briefly(world.render().problems);

describe('http', () => {
  it('gives the accepted text, and prints the item anew when that changes, and only then', () => {
    const world = worldOf('# {{http "https://lists.example/a"}}');
    world.set('https://lists.example/a', content('one'));
    expect(world.text()).toContain('# one\n');
    world.set('https://lists.example/b', content('other'));
    world.text();
    expect(world.wanted).toHaveLength(1);
    world.set('https://lists.example/a', content('two'));
    expect(world.text()).toContain('# two\n');
    expect(world.wanted).toHaveLength(2);
  });

  it('says what it wants, with the defaults of what is not given', () => {
    const world = worldOf('# {{http "http://lists.example:80/a b?x=1#part"}}');
    world.render();
    expect(world.wanted).toStrictEqual([
      { url: 'http://lists.example/a%20b?x=1', headers: {}, refresh: 0, timeout: 30_000, retries: 3 },
    ]);
  });

  it.each([
    ['auth="basic" username="bob" password="pass word"', { authorization: 'Basic Ym9iOnBhc3Mgd29yZA==' }],
    ['auth="bearer" token=extraContext.token', { authorization: 'Bearer s3cret' }],
    ['auth="header" headers=extraContext.headers', { 'x-api-key': 'abc' }],
  ])('takes options and credentials: %s', (auth, headers) => {
    const world = worldOf(
      `# {{http "https://a.example/" delay="1m30s" timeout="2s" retries=0 contentType="Text/Plain" ${auth}}}`,
      { extraContext: { token: 's3cret', headers: { 'X-Api-Key': 'abc' } } },
    );
    world.render();
    expect(world.wanted).toStrictEqual([
      {
        url: 'https://a.example/',
        headers,
        refresh: 90_000,
        timeout: 2_000,
        retries: 0,
        contentType: 'text/plain',
      },
    ]);
  });

  it('refuses the item as long as its content was never there, and keeps what it said before', () => {
    const world = worldOf('# {{default w.spec.words (http "https://a.example/list?token=s3cret")}}');
    world.resources['widgets']?.set('ns/a', widget('a', { words: 'before' }));
    expect(problemsOf(world)).toStrictEqual([
      'ContentPending a : https://a.example/list?… was not fetched yet (haproxyConfig:2:26)',
    ]);
    world.set('https://a.example/list?token=s3cret', content('there'));
    expect(world.text()).toContain('# before\n');
    world.set('https://a.example/list?token=s3cret', { kind: 'waiting' });
    expect(world.text()).toContain('# before\n');
  });

  it('gives nothing, with a problem, where there is no content', () => {
    const world = worldOf('# [{{{http "https://a.example/"}}}]');
    world.set('https://a.example/', { kind: 'failed', reason: 'FetchFailed', message: 'answered 500' });
    expect(world.text()).toContain('# []\n');
    expect(world.render().problems).toMatchObject([
      { severity: 'warning', reason: 'FetchFailed', message: 'https://a.example/: answered 500' },
    ]);
  });

  it('refuses the item where content is missing that it calls critical', () => {
    const world = worldOf('# [{{http "https://a.example/" critical=true}}]');
    world.set('https://a.example/', { kind: 'failed', reason: 'FetchFailed', message: 'answered 500' });
    expect(world.text()).not.toContain('#');
    expect(world.render().problems).toMatchObject([{ severity: 'error', reason: 'CriticalContentMissing' }]);
  });

  it.each([
    [
      `http "https://a.example/${'x'.repeat(9_000)}"`,
      `https://a.example/${'x'.repeat(82)}… is a URL of 9018 characters`,
    ],
    ['http "ftp://a.example/"', 'ftp://a.example/ is no URL that begins with http:// or https://'],
    ['http "/list"', '(no URL) is no URL'],
    ['http "https://me:hunter2@a.example/"', 'https://a.example/: credentials go into auth="basic"'],
    ['http "https://a.example/" delay=5', 'delay is a duration such as "30s", not a number'],
    ['http "https://a.example/" timeout="soon"', 'timeout: "soon" is not a duration'],
    ['http "https://a.example/" retries=99', 'retries is a number from 0 to 10'],
    ['http "https://a.example/" critical="yes"', 'critical is true or false'],
    ['http "https://a.example/" auth="digest"', 'auth is one of "basic", "bearer" and "header"'],
    ['http "https://a.example/" auth="bearer"', 'auth="bearer" needs token='],
    ['http "https://a.example/" token="hunter2"', 'token needs auth='],
    ['http "https://a.example/" auth="bearer" token="x" password="hunter2"', 'password is not used by'],
    [
      'http "https://a.example/" auth="bearer" token=extraContext.lines',
      '"authorization" has a name or value',
    ],
    ['http "https://a.example/" auth="header" headers=extraContext.odd', '"x y" has a name or value'],
  ])('refuses {{%s}}', (call, message) => {
    const world = worldOf(`# {{${call}}}`, {
      extraContext: { lines: 'hunter2\r\nx-evil: 1', odd: { 'x y': 'hunter2' } },
    });
    const problems = problemsOf(world).join('\n');
    expect(problems).toContain(message);
    expect(world.wanted).toStrictEqual([]);
  });

  it('names no credential in any problem of its own', () => {
    const world = worldOf('# {{http "https://a.example/" auth="bearer" token=extraContext.lines}}', {
      extraContext: { lines: 'hunter2\n' },
    });
    world.set('https://a.example/', { kind: 'failed', reason: 'FetchFailed', message: 'answered 401' });
    expect(JSON.stringify(world.render().problems)).not.toContain('hunter2');
    expect(world.wanted[0]?.headers).toStrictEqual({ authorization: 'Bearer hunter2' });
  });

  it('is an error of the item where nothing provides content', () => {
    const world = createWorld({
      root: '{{#forEach resources.widgets as |w|}}# {{http "https://a.example/"}}\n{{/forEach}}',
      resources: { widgets: undefined },
    });
    world.resources['widgets']?.set('ns/a', widget('a'));
    expect(briefly(world.render().problems).join()).toContain('there is no HTTP content here');
  });
});
