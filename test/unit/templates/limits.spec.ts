import { describe, expect, it } from 'vitest';
import {
  createTemplateEnvironment,
  type TemplateEnvironment,
} from '../../../src/templates/create-template-environment.ts';
import { renderFaultOf, type RenderFault } from '../../../src/templates/render-fault.ts';
import type { TrackedReads } from '../../../src/templates/run.ts';
import { templateErrorsOf } from '../../../src/templates/template-error.ts';

function environment(source: string, snippets: Readonly<Record<string, string>> = {}): TemplateEnvironment {
  return createTemplateEnvironment({
    templates: [{ name: 't', document: 'config', source }],
    snippets,
    vocabulary: { collections: ['hosts'], resources: { widgets: { indexKeys: 2 } } },
    constants: { extraContext: { x: 1 } },
  });
}

/** What is wrong with a template, as `template:line:column: message`. */
function errorsOf(source: string, snippets: Readonly<Record<string, string>> = {}): string[] {
  try {
    environment(source, snippets);
    return [];
  } catch (error) {
    return templateErrorsOf(error).map((e) => `${e.template}:${e.line}:${e.column}: ${e.message}`);
  }
}

const noReads: TrackedReads = {
  single: () => undefined,
  list: () => [],
  fetch: () => undefined,
  context: () => undefined,
  warn: () => undefined,
};

/** Why the body of a forEach over hosts gives nothing for one item. */
function faultOf(
  body: string,
  snippets: Readonly<Record<string, string>> = {},
  item: unknown = {},
): RenderFault | undefined {
  const env = environment(`{{#forEach hosts as |h|}}${body}{{/forEach}}`, snippets);
  const [slot] = env.renderWhole('t').slots;
  if (slot === undefined) throw new Error('a slot is expected');
  return faultIn(() => env.renderItem(slot, item, 'the-key', noReads));
}

function faultIn(run: () => unknown): RenderFault | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    const fault = renderFaultOf(error);
    if (fault === undefined) throw error;
    return fault;
  }
}

const nested = {
  if: (n: number) => `${'{{#if extraContext.x}}'.repeat(n)}x${'{{/if}}'.repeat(n)}`,
  'else if': (n: number) => `{{#if extraContext.x}}${'{{else if extraContext.x}}'.repeat(n)}{{/if}}`,
  unless: (n: number) => `${'{{^if extraContext.x}}'.repeat(n)}x${'{{/if}}'.repeat(n)}`,
  concat: (n: number) => `{{quoted ${'(concat '.repeat(n)}"a"${')'.repeat(n)}}}`,
};

describe('a template too large to be compiled is refused with its place', () => {
  it.each(Object.entries(nested))('nested %s', (_, template) => {
    expect(errorsOf(template(90))).toEqual([]);
    environment(template(90)).renderWhole('t');
    for (const levels of [2000, 20_000, 200_000])
      expect(errorsOf(`a\n${template(levels)}`.slice(0, 1_000_000))).toEqual([
        expect.stringMatching(/^t:2:\d+: nested more than 100 deep$/),
      ]);
  });

  it('names the place that is too deep', () => {
    expect(errorsOf(`\n ${nested.if(2000)}`)).toEqual([
      `t:2:${2 + 100 * '{{#if extraContext.x}}'.length}: nested more than 100 deep`,
    ]);
  });

  it('counts what is nested, not what follows each other, is escaped, or stands in comments', () => {
    const flat = `${nested.if(3)}${nested.concat(3)}`.repeat(100);
    const text = `\\{{#if x}} ({{!-- ${'{{#if x}} ('.repeat(200)} --}}`.repeat(2);
    expect(errorsOf(flat)).toEqual([]);
    expect(errorsOf(text)).toEqual([]);
  });

  it('leaves it to the parser to say what is not closed', () => {
    expect(errorsOf(`${nested.if(60)}{{/if}}${nested.if(60)}`)).toEqual([
      expect.stringMatching(/syntax error/),
    ]);
  });

  it('one with more expressions than anybody writes', () => {
    expect(errorsOf('{{extraContext.x}}\n'.repeat(10_000))).toEqual([]);
    expect(errorsOf('{{extraContext.x}}\n'.repeat(10_001))).toEqual([
      't:10001:1: more than 10000 expressions in one template; split it into snippets',
    ]);
  });

  it('one of more than a MiB', () => {
    expect(errorsOf('x'.repeat(1024 * 1024))).toEqual([]);
    expect(errorsOf('x'.repeat(1024 * 1024 + 1))).toEqual(['t:1:1: longer than 1048576 characters']);
  });

  it('all of a configuration together', () => {
    const snippets = Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [`s${i}`, '{{extraContext.x}}'.repeat(10_000)]),
    );
    expect(errorsOf('x', snippets)).toEqual([
      's5:1:1: all templates together have more than 50000 expressions',
    ]);
  });

  it('says a hundred errors, in few words each', () => {
    expect(errorsOf('{{nope}}'.repeat(5000))).toHaveLength(100);
    const [long = ''] = errorsOf(`{{${'n'.repeat(100_000)}}}`);
    expect(long.length).toBeLessThan(1000);
  });
});

describe('the check of templates', () => {
  const chain = (n: number, call: (next: string) => string, last: string) =>
    Object.fromEntries(
      Array.from({ length: n + 1 }, (_, i) => [`s${i}`, i === n ? last : call(`{{> s${i + 1}}}`)]),
    );

  it('refuses snippets that call each other deeper than they may run', () => {
    expect(
      errorsOf(
        '{{> s0}}',
        chain(31, (next) => next, 'x'),
      ),
    ).toEqual([]);
    expect(
      environment(
        '{{> s0}}',
        chain(31, (next) => next, 'x'),
      ).renderWhole('t').pieces,
    ).toHaveLength(1);
    expect(
      errorsOf(
        '{{> s0}}',
        chain(10_000, (next) => next, 'x'),
      ),
    ).toEqual(['s31:1:1: snippets call each other more than 32 deep']);
  });

  it('notes a lookup once, however often a snippet that makes it is called', () => {
    const twice = (next: string) => `{{#if extraContext.x}}${next}${next}{{/if}}`;
    const env = environment(
      '{{#forEach hosts as |h|}}{{#if h.x}}{{> s0}}{{/if}}{{/forEach}}',
      chain(30, twice, '{{#each (list "widgets") as |w|}}{{/each}}'),
    );
    const [slot] = env.renderWhole('t').slots;
    expect(slot && env.lookupsOf(slot)).toEqual([{ helper: 'list', resource: 'widgets', keys: 0 }]);
  });

  it('knows the lookups of snippets that call each other', () => {
    const env = environment(
      '{{#forEach hosts as |h|}}{{#if h.x}}{{> a}}{{/if}}{{/forEach}}{{#forEach hosts as |h|}}{{#if h.x}}{{> b}}{{/if}}{{/forEach}}',
      {
        a: '{{#if extraContext.x}}{{> b}}{{/if}}{{#each (list "widgets") as |w|}}{{/each}}',
        b: '{{#if extraContext.x}}{{> a}}{{/if}}',
      },
    );
    const lookups = env.renderWhole('t').slots.map((slot) => env.lookupsOf(slot));
    expect(lookups[1]).toEqual([{ helper: 'list', resource: 'widgets', keys: 0 }]);
    expect(lookups[0]).toEqual(lookups[1]);
  });

  it('ends where each call of a snippet has names of its own', () => {
    const calls = Array.from({ length: 5000 }, (_, i) => `{{> s k${i}=1}}`).join('');
    expect(errorsOf(calls, { s: '{{extraContext.x}}'.repeat(5000) })).toEqual([
      expect.stringMatching(/^s:1:\d+: the templates call each other in too many ways to be checked$/),
    ]);
  });
});

describe('a run that does not come to its end is an error of its item, with the place', () => {
  const fan = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`s${i}`, i === 7 ? 'x' : `{{> s${i + 1}}}`.repeat(10)]),
  );

  it('snippets that call each other too often', () => {
    expect(faultOf('{{> s0}}', fan)).toMatchObject({
      place: expect.stringMatching(/^s\d:1:\d+$/) as string,
      message: expect.stringMatching(/^{{> s\d}}: more than 250000 helper calls$/) as string,
      reason: 'TemplateFailed',
    });
    expect(faultIn(() => environment('{{> s0}}', fan).renderWhole('t'))?.place).toMatch(/^s\d:1:\d+$/);
  });

  it('a snippet that calls itself', () => {
    expect(faultOf('{{> s}}', { s: '{{#if extraContext.x}}\n {{> s}}{{/if}}' })).toMatchObject({
      place: 's:2:2',
      message: '{{> s}}: snippets call each other more than 32 deep',
    });
  });
});

describe('what one run can use up is bounded', () => {
  const mebi = 1024 * 1024;
  const text = 'x'.repeat(mebi);
  const loops = (levels: number, body: string) =>
    `${'{{#each h.ten as |x|}}'.repeat(levels)}${body}${'{{/each}}'.repeat(levels)}`;
  const ten = Array.from({ length: 10 }, (_, i) => i);
  const messageOf = (body: string, item: object = {}, snippets: Readonly<Record<string, string>> = {}) =>
    faultOf(body, snippets, { ten, text, ...item })?.message;

  it.each([
    ['text of the template', loops(3, 'x'.repeat(100_000))],
    ['texts of the item', loops(2, '{{{h.text}}}')],
    ['snippets', loops(2, '{{> s given=h.text}}')],
    ['files', loops(2, '{{#file (concat "f/" x)}}{{{h.text}}}{{/file}}')],
    ['registered files', loops(2, '{{registerFile "file" "a" h.text}}')],
    ['sections', loops(2, '{{#once x}}{{{h.text}}}{{/once}}')],
    ['collected values', loops(2, '{{collect "c" x (concat h.text x)}}')],
  ])('%s', (_, body) => {
    expect(messageOf(body, {}, { s: '{{{given}}}' })).toMatch(/: more than 32 MiB are printed$/);
  });

  it.each([
    ['replace', '{{quoted (replace h.text "x" "0123456789abcdefghijklmnopqrstuvwxyz")}}'],
    ['replace of nothing', '{{quoted (replace h.text "" h.text)}}'],
    ['join', '{{quoted (join (split h.text "x") "0123456789abcdefghijklmnopqrstuvwxyz")}}'],
    ['concat', `{{quoted (concat${' h.text'.repeat(17)})}}`],
    ['doubling', `{{quoted ${'(concat (concat h.text h.text) '.repeat(9)}h.text${')'.repeat(9)}}}`],
    ['regexReplace', '{{quoted (regexReplace (slice h.text 0 100000) "x" (slice h.text 0 10000))}}'],
    ['indent', '{{quoted (indent h.lines (slice h.text 0 9000))}}'],
  ])('text that %s makes grow', (_, body) => {
    expect(messageOf(body, { lines: 'x\n'.repeat(9000) })).toMatch(
      /more than (16 MiB of text|200000 parts|16777216 characters)/,
    );
  });

  it.each([
    ['sorting again and again', loops(4, '{{#if (sortBy h.list "a" "b")}}{{/if}}')],
    ['looking through a long text', loops(4, '{{#if (regexMatch h.some "[^x]y")}}{{/if}}')],
    ['reading YAML', loops(4, '{{#if (parseYaml h.yaml)}}{{/if}}')],
  ])('time: %s', (_, body) => {
    const list = Array.from({ length: 2000 }, (_unused, i) => ({ a: i % 7, b: String(i) }));
    expect(messageOf(body, { list, some: text.slice(0, 1000), yaml: '- b\n'.repeat(50) })).toMatch(
      /: the helpers of one run have more to do than they may$/,
    );
  });

  it.each([
    [
      'an expression that compiles to much',
      '{{regexMatch "x" "\\pL{999}' + '\\pL{999}'.repeat(20) + '"}}',
      /too large/,
    ],
    ['a text too long for an expression', '{{regexMatch h.text "[^x]"}}', /more than 262144 characters/],
    ['a large expression', '{{regex h.text}}', /more than 8192 characters/],
    ['more YAML than anybody writes', '{{#with (parseYaml h.yaml)}}{{/with}}', /more than 50000 words/],
    ['more parts than a loop can look at', '{{length (split h.text "")}}', /more than 200000 parts/],
  ])('%s', (_, body, message) => {
    expect(messageOf(body, { yaml: 'k: [1, 2]\n'.repeat(10_000) })).toMatch(message);
  });

  it('what it says of a long text is short', () => {
    for (const body of [
      '{{number h.text}}',
      '{{fail h.text}}',
      '{{query h.text h.text}}',
      '{{h.text}} {{h.text}} {{#let (urlDecode (concat h.text "%")) as |x|}}{{/let}}',
    ])
      expect((messageOf(body) ?? '').length).toBeLessThan(1200);
  });
});
