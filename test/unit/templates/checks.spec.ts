import { describe, expect, it } from 'vitest';
import { createTemplateEnvironment } from '../../../src/templates/create-template-environment.ts';
import { templateErrorsOf } from '../../../src/templates/template-error.ts';
import type { DocumentKind } from '../../../src/templates/vocabulary.ts';

const vocabulary = {
  collections: ['hosts', 'backends'],
  resources: { services: { indexKeys: 2 }, widgets: { indexKeys: 1 } },
};
const constants = {
  extraContext: { ports: [1, 2], x: 'y' },
  capabilities: {},
  dataplane: { mapsDir: '/etc/haproxy/maps' },
};

/** What is wrong with a template, as `template:line:column: message`. */
function errorsOf(
  source: string,
  snippets: Readonly<Record<string, string>> = {},
  document: DocumentKind = 'config',
): string[] {
  try {
    createTemplateEnvironment({
      templates: [{ name: 't', document, source }],
      snippets,
      vocabulary,
      constants,
    });
    return [];
  } catch (error) {
    return templateErrorsOf(error).map((e) => `${e.template}:${e.line}:${e.column}: ${e.message}`);
  }
}

const each = (body: string) => `{{#forEach hosts as |h|}}${body}{{/forEach}}`;
const reach = (name: string) =>
  `"${name}" is out of reach: a forEach body sees its item, the constants and what single, list and fetch give`;

describe('a template is refused when it is loaded', () => {
  it.each([
    ['an unknown helper', '\n {{nope 1}}', 't:2:2: unknown helper "nope"'],
    ['a misspelt helper', '{{qouted 1}}', 't:1:1: unknown helper "qouted"; did you mean "quoted"?'],
    [
      'a misspelt block',
      '{{#foreach hosts as |h|}}{{/foreach}}',
      't:1:1: unknown helper "foreach"; did you mean "forEach"?',
    ],
    [
      'a misspelt resource',
      '{{#forEach hosts as |h|}}{{#with (fetch "servces" "a" "b") as |s|}}{{/with}}{{/forEach}}',
      /unknown resource "servces"; did you mean "services"\?$/,
    ],
    ['an unknown helper in an argument', '{{quoted (nope 1)}}', 't:1:10: unknown helper "nope"'],
    ['an unknown block', '{{#nope}}{{/nope}}', 't:1:1: unknown helper "nope"'],
    ['a value used as block', '{{#extraContext}}{{/extraContext}}', 't:1:1: unknown helper "extraContext"'],
    ['a built-in helper of Handlebars that is none here', '{{log 1}}', 't:1:1: unknown helper "log"'],
    ['an unknown snippet', 'a\nb {{> nope}}', 't:2:3: unknown snippet "nope"'],
    [
      'an unknown name',
      '{{nope}}',
      't:1:3: unknown name "nope"; known here: backends, capabilities, collected, dataplane, extraContext, hosts, resources, templateSnippets',
    ],
    ['an unknown name in an argument', '{{#if nope.a}}{{/if}}', /^t:1:7: unknown name "nope"/],
    [
      'an unknown name in a named argument',
      '{{#backend "b" profile=nope}}{{/backend}}',
      /^t:1:24: unknown name "nope"/,
    ],
    ['an unknown name by way of @root', '{{@root.nope}}', 't:1:3: unknown name "@root.nope"'],
    ['an unknown data name', '{{@nope}}', 't:1:3: unknown name "@nope"'],
    ['@index outside of a loop', '{{@index}}', 't:1:3: "@index" exists in an each only'],
    ['a path above everything', '{{../extraContext}}', 't:1:3: "../extraContext" goes up too far'],
    ['everything at once', '{{length this}}', 't:1:10: "this" is everything here; name what you mean'],
    [
      'a collection as a value',
      '{{length hosts}}',
      't:1:10: "hosts" is a collection: use {{#forEach hosts as |item|}}',
    ],
    [
      'a resource as a value',
      '{{#each resources.widgets as |w|}}{{/each}}',
      't:1:9: "resources.widgets" is a collection: use {{#forEach resources.widgets as |item|}}',
    ],
    [
      'an unknown collection',
      '{{#forEach nope as |x|}}{{/forEach}}',
      't:1:12: unknown collection "nope"; known: backends, hosts, resources.<name>, collected.<name>',
    ],
    [
      'an unknown resource',
      '{{#forEach resources.nope as |x|}}{{/forEach}}',
      't:1:12: unknown resource "nope"; watchedResources has services, widgets',
    ],
    [
      'a prototype’s property as resource',
      '{{#forEach resources.constructor as |x|}}{{/forEach}}',
      /unknown resource "constructor"/,
    ],
    [
      'a forEach over a constant',
      '{{#forEach extraContext.ports as |x|}}{{/forEach}}',
      /unknown collection "extraContext.ports"/,
    ],
    [
      'a forEach without item',
      '{{#forEach hosts}}{{/forEach}}',
      't:1:1: a forEach names its item, and may name its key: {{#forEach hosts as |host key|}}',
    ],
    [
      'a forEach with else',
      '{{#forEach hosts as |h|}}{{else}}{{/forEach}}',
      't:1:1: a forEach has no {{else}}',
    ],
    [
      'a forEach in a forEach',
      each('{{#forEach backends as |b|}}{{/forEach}}'),
      /^t:1:26: a forEach cannot stand in a forEach/,
    ],
    [
      'a forEach in a backend',
      '{{#backend "b"}}{{#forEach hosts as |h|}}{{/forEach}}{{/backend}}',
      't:1:17: a forEach cannot stand in a backend block',
    ],
    [
      'a lookup outside of fragments',
      '{{single "services" "a" "b"}}',
      /^t:1:1: single can stand in a forEach body only/,
    ],
    ['warn outside of fragments', '{{warn "x"}}', /^t:1:1: warn can stand in a forEach body only/],
    [
      'a constant that is not there, printed',
      'a\n{{extraContext.nope}}',
      't:2:3: there is no value here: extraContext has no "nope"; it has ports, x',
    ],
    [
      'a step that is not there',
      '{{{@root.extraContext.x.deeper}}}',
      't:1:4: there is no value here: extraContext.x has no "deeper"',
    ],
    [
      'a field that the data plane does not have, even in a condition',
      '{{#if dataplane.mapDir}}{{/if}}',
      't:1:7: there is no value here: dataplane has no "mapDir"; it has mapsDir',
    ],
    [
      'a let without a name for each value',
      '{{#let 1 2 as |x|}}{{x}}{{/let}}',
      't:1:1: let has a name for each value: {{#let a b as |x y|}}',
    ],
    [
      'a collection that nothing collects',
      '{{#forEach collected.colors as |c|}}{{/forEach}}',
      't:1:12: nothing collects "colors"; collections that collect fills: none',
    ],
    [
      'a lookup in a collection that nothing collects',
      each('{{collect "sizes" "a" 1}}{{length (list "collected.colors")}}'),
      't:1:60: nothing collects "colors"; collections that collect fills: sizes',
    ],
    [
      'a collection whose name is computed',
      each('{{collect h.name "a" 1}}'),
      't:1:26: collect takes the name of a collection as a literal: collect "colors" …',
    ],
    [
      'more keys than an entry of a collection has',
      each('{{length (list "backends" "a" "b")}}'),
      't:1:35: entries of backends have one key, not 2',
    ],
    [
      'collect outside of fragments',
      '{{collect "colors" "a" 1}}',
      /^t:1:1: collect can stand in a forEach body only/,
    ],
    [
      'JSON in the configuration',
      '{{json extraContext}}',
      't:1:1: json prints into files and k8sResources; here, give it to a helper: {{quoted (json …)}}',
    ],
    [
      'a block in a once block',
      '{{#once "a"}}{{#backend "b"}}{{/backend}}{{/once}}',
      't:1:14: a backend block cannot stand in a once block',
    ],
    ['a value of a snippet that is not there', '{{render "nope"}}', 't:1:1: unknown snippet "nope"'],
    [
      'a value of a snippet whose name is computed',
      '{{render extraContext.x}}',
      't:1:1: render takes the name of a snippet as a literal',
    ],
    [
      'a lookup in an unknown resource',
      each('{{#with (single "nope" h.a) as |x|}}{{/with}}'),
      't:1:34: unknown resource "nope"',
    ],
    [
      'a lookup in a resource that is no literal',
      each('{{#with (list h.kind) as |x|}}{{/with}}'),
      /takes the resource as a literal/,
    ],
    [
      'a lookup with more keys than the index',
      each('{{length (list "widgets" h.a h.b)}}'),
      't:1:35: the index of widgets has 1 keys (indexBy), not 2',
    ],
    ['a helper with too few arguments', '{{eq 1}}', 't:1:1: eq takes 2 arguments, not 1'],
    ['a helper with too many arguments', '{{not 1 2}}', 't:1:1: not takes 1 argument, not 2'],
    [
      'an unknown named argument',
      '{{#backend "b" profil="x"}}{{/backend}}',
      't:1:16: backend has no argument "profil"',
    ],
    ['a literal in braces', '{{5}}', 't:1:1: a literal is written without braces'],
    [
      'a block helper without its block',
      '{{backend "b"}}',
      't:1:1: backend is a block: {{#backend …}}…{{/backend}}',
    ],
    ['a value helper as block', '{{#eq 1 2}}{{/eq}}', 't:1:1: eq is no block: {{eq …}}'],
    ['a block helper as value', '{{quoted (if 1)}}', 't:1:10: if is a block and has no value'],
    [
      'nested sections',
      '{{#section "a"}}{{#backend "b"}}{{/backend}}{{/section}}',
      't:1:17: a backend block cannot stand in a section block',
    ],
    ['a decorator', '{{* x}}', 't:1:1: decorators and inline partials are not supported'],
    [
      'an inline partial',
      '{{#*inline "x"}}{{/inline}}',
      't:1:1: decorators and inline partials are not supported',
    ],
    [
      'a partial block',
      '{{#> x}}{{/x}}',
      't:1:1: partial blocks are not supported; pass arguments: {{> name x=y}}',
    ],
    [
      'a computed snippet name',
      '{{> (lookup extraContext "x")}}',
      't:1:1: the name of a snippet is written literally',
    ],
    [
      'a snippet with a context',
      '{{> s extraContext}}',
      't:1:1: a snippet takes named arguments only: {{> name x=y}}',
    ],
    ['a computed snippet pattern', '{{snippets extraContext.x}}', /^t:1:1: snippets takes a literal/],
    ['a snippet pattern that says little', '{{snippets "*"}}', /^t:1:1: snippets takes a literal/],
    ['control characters in the text', 'a\u0001b', 't:1:1: control characters in the text'],
    ['control characters in a literal', '{{quoted "a\u0002b"}}', 't:1:10: control characters in a literal'],
    ['a line break in a literal', '{{quoted "a\nb"}}', 't:1:10: control characters in a literal'],
    [
      'block parameters of a block that has none',
      '{{#if 1 as |x|}}{{/if}}',
      't:1:1: if has no block parameters',
    ],
  ])('%s', (_what, source, expected) => {
    const errors = errorsOf(source, { s: '' });
    expect(errors).toHaveLength(1);
    if (typeof expected === 'string') expect(errors[0]).toBe(expected);
    else expect(errors[0]).toMatch(expected);
  });

  it.each([
    ['{{#if extraContext.x}}\n{{/each}}', "t:1:4: if doesn't match each"],
    ['ok\n  {{quoted', /^t:2:\d+: syntax error$/],
    ['{{#if}', /^t:1:\d+: syntax error/],
  ])('%j: a syntax error has its place', (source, expected) => {
    const [error = ''] = errorsOf(source);
    if (typeof expected === 'string') expect(error).toBe(expected);
    else expect(error).toMatch(expected);
  });

  it('with all errors at once, in order of place, each once', () => {
    const errors = errorsOf('{{b}}{{a}}\n{{> s}}{{> s}}', { s: '{{c}}', unused: '{{#if' });
    expect(errors.map((error) => error.replace(/; known.*/, ''))).toStrictEqual([
      's:1:3: unknown name "c"',
      't:1:3: unknown name "b"',
      't:1:8: unknown name "a"',
      expect.stringMatching(/^unused:1:\d+: syntax error/) as string,
    ]);
  });

  it('as one coded error whose text has every line', () => {
    const load = () =>
      createTemplateEnvironment({
        templates: [{ name: 't', document: 'config', source: '{{a}}{{b}}' }],
        snippets: {},
        vocabulary,
        constants,
      });
    expect(load).toThrow(expect.objectContaining({ code: 'HAPTIC_ERR_TEMPLATE_INVALID' }));
    expect(load).toThrow(/^t:1:3: .*\nt:1:8: /);
  });

  it('when a snippet looks meant by an extension point but has no number', () => {
    expect(errorsOf('{{snippets "frontend-filters-*"}}', { 'frontend-filters-cors': 'x' })).toStrictEqual([
      't:1:1: snippet "frontend-filters-cors" looks meant by "frontend-filters-*" but has no number: name it frontend-filters-NNN-…',
    ]);
  });

  it('when a map or a file has sections', () => {
    expect(errorsOf('{{#backend "b"}}{{/backend}}', {}, 'map')).toStrictEqual([
      't:1:1: backend can stand in the haproxyConfig template only',
    ]);
  });
});

describe('a forEach body is refused when it reaches for anything but its item, constants and lookups', () => {
  it.each([
    ['another collection', each('{{length backends}}'), `t:1:35: ${reach('backends')}`],
    ['all resources', each('{{length resources.widgets}}'), `t:1:35: ${reach('resources')}`],
    [
      'a name of the text around',
      `{{#each extraContext.ports as |p|}}${each('{{p}}')}{{/each}}`,
      `t:1:63: ${reach('p')}`,
    ],
    [
      'the index of a loop around',
      `{{#each extraContext.ports as |p|}}${each('{{@index}}')}{{/each}}`,
      /"@index" exists in an each only/,
    ],
    ['the context around', `{{#with extraContext}}${each('{{../x}}')}{{/with}}`, /"\.\.\/x" goes up too far/],
    ['an argument of the snippet around', '{{> s a=extraContext.x}}', `s:1:28: ${reach('a')}`],
  ])('%s', (_what, source, expected) => {
    const [error, ...more] = errorsOf(source, { s: each('{{a}}') });
    expect(more).toStrictEqual([]);
    if (typeof expected === 'string') expect(error).toBe(expected);
    else expect(error).toMatch(expected);
  });

  it('also by way of a snippet', () => {
    expect(errorsOf(each('{{> s h=h}}'), { s: '{{h.x}}{{length hosts}}' })).toStrictEqual([
      `s:1:17: unknown name "hosts"; known here: capabilities, dataplane, extraContext, h, templateSnippets`,
    ]);
  });
});

describe('a template is accepted', () => {
  it.each([
    ['constants', '{{extraContext.x}}{{@root.extraContext.x}}{{#if capabilities.guid}}{{/if}}'],
    [
      'an item, its key and lists',
      each('{{h.a.b}}{{#each h.c as |x i|}}{{x}}{{i}}{{@first}}{{h.a}}{{/each}}'),
    ],
    ['constants inside of named loops', each('{{#each h.c as |x|}}{{extraContext.x}}{{/each}}')],
    [
      'fields of an item that is the context',
      each('{{#with h.a}}{{whatever.b}}{{../extraContext.x}}{{this.c}}{{/with}}'),
    ],
    [
      'lookups in literal resources',
      each('{{#with (single "services" h.a h.b) as |s|}}{{s.x}}{{/with}}{{length (list "services" h.a)}}'),
    ],
    ['an item named like a helper', '{{#forEach hosts as |list|}}{{list}}{{list.x}}{{/forEach}}'],
    [
      'a loop of forEach over constants',
      `{{#each extraContext.ports as |p|}}bind :{{p}}\n${each('{{h.x}}')}{{/each}}`,
    ],
    ['a snippet that calls itself under a condition, which is bounded when it runs', '{{> s}}'],
    ['fail outside of fragments', '{{#if extraContext.x}}{{fail "x"}}{{/if}}'],
    ['a constant that may be missing, as an argument', '{{default extraContext.nope "a"}}'],
    [
      'a constant that may be missing, in its condition',
      '{{#if extraContext.nope}}{{extraContext.nope}}{{/if}}',
    ],
    ['a constant that a condition around the snippet asks for', '{{#if extraContext.nope}}{{> t}}{{/if}}'],
    ['a snippet’s argument named like a constant', '{{> u extraContext="a"}}'],
    [
      'JSON as an argument, and in a file block',
      '{{quoted (json 1)}}{{#file "general/a"}}{{json 1}}{{/file}}',
    ],
    [
      'a collection of its own, looked up and gone through',
      `${each('{{collect "colors" h.a h.b}}')}{{#forEach collected.colors as |c|}}{{c.key}}{{/forEach}}${each('{{length (fetch "collected.colors" h.a)}}')}`,
    ],
    ['derived collections looked up by key', each('{{#with (fetch "backends" h.a) as |b|}}{{b.x}}{{/with}}')],
    ['several names at once', '{{#let 1 (concat "a" "b") as |x y|}}{{x}}{{y}}{{extraContext.x}}{{/let}}'],
    ['a forEach in a section', `{{#section "frontend x"}}${each('{{h.x}}')}{{/section}}`],
    ['else if', '{{#if extraContext.x}}a{{else if extraContext.y}}b{{else}}c{{/if}}'],
    ['comments', '{{!-- {{nope}} --}}{{! nope }}'],
  ])('with %s', (_what, source) => {
    const snippets = {
      s: '{{#if extraContext.x}}{{> s}}{{/if}}',
      t: '{{extraContext.nope}}',
      u: '{{extraContext}}{{extraContext.nope}}',
    };
    expect(errorsOf(source, snippets)).toStrictEqual([]);
  });
});

describe('runaway recursion is refused when it is loaded', () => {
  it.each([
    ['of one snippet', { s: 'a\n {{> s}}' }, 's:2:2: snippet "s" calls itself without a condition: s → s'],
    [
      'of two',
      { s: '{{> t}}', t: '{{#let 1 as |x|}}{{> s}}{{/let}}' },
      't:1:18: snippet "s" calls itself without a condition: s → t → s',
    ],
    [
      'by way of a value',
      { s: '{{#if (eq (render "s") "a")}}{{/if}}' },
      's:1:11: snippet "s" calls itself without a condition: s → s',
    ],
    [
      'by way of an extension point',
      { s: '{{snippets "p-*"}}', 'p-100-a': '{{> s}}' },
      'p-100-a:1:1: snippet "s" calls itself without a condition: s → p-100-a → s',
    ],
    [
      'within a condition around it all',
      { s: '{{#if extraContext.x}}{{> t}}{{/if}}', t: '{{> t}}' },
      't:1:1: snippet "t" calls itself without a condition: t → t',
    ],
  ])('%s', (_what, snippets, expected) => {
    expect(errorsOf('{{> s}}', snippets as unknown as Record<string, string>)).toStrictEqual([expected]);
  });
});

describe('what is hardly meant is told', () => {
  const warningsOf = (source: string, snippets: Readonly<Record<string, string>>) =>
    createTemplateEnvironment({
      templates: [{ name: 't', document: 'config', source }],
      snippets,
      vocabulary,
      constants,
    }).warnings.map(({ template, message }) => `${template}: ${message}`);

  it.each([
    [
      'nothing of snippets that are used',
      '{{> a}}{{snippets "p-*"}}',
      { a: '', 'p-100-x': '', 'p-999': '' },
      [],
    ],
    ['a snippet that nothing uses', '', { a: '' }, ['a: no template uses this snippet']],
    [
      'a number of other than three digits',
      '{{snippets "p-*"}}',
      { 'p-50-x': '', 'p-1000-y': '' },
      [
        'p-1000-y: the number 1000 has not three digits: snippets of p-* are printed in the order of their names, as texts',
        'p-50-x: the number 50 has not three digits: snippets of p-* are printed in the order of their names, as texts',
      ],
    ],
    [
      'an extension point that no template prints',
      '{{snippets "p-*"}}',
      { 'q-100-x': '' },
      ['q-100-x: no template prints the extension point q-*'],
    ],
    ['nothing of a numbered snippet that is called by its name', '{{> q-100-x}}', { 'q-100-x': '' }, []],
  ])('%s', (_what, source, snippets, expected) => {
    expect(warningsOf(source, snippets as unknown as Record<string, string>)).toStrictEqual(expected);
  });
});

describe('lookups that cost more than anybody expects', () => {
  const warningsOf = (source: string, snippets: Readonly<Record<string, string>> = {}) =>
    createTemplateEnvironment({
      templates: [{ name: 't', document: 'config', source }],
      snippets,
      vocabulary,
      constants,
    }).warnings.map((e) => `${e.template}:${e.line}:${e.column}: ${e.message}`);
  const warning =
    'list "services" without keys, for each of hosts: whenever one of services changes, all of hosts are printed again; give keys of its indexBy, or use fragment or collect';

  it('are told: the whole of a resource for each entry of a collection', () => {
    expect(warningsOf(`a\n ${each('{{length (list "services")}}{{length (list "services")}}')}`)).toEqual([
      `t:2:2: ${warning}`,
    ]);
    expect(warningsOf(each('{{> s}}'), { s: '{{length (list "services")}}' })).toEqual([`t:1:1: ${warning}`]);
  });

  it.each([
    ['keys', each('{{length (list "services" "a")}}')],
    ['once for all', '{{#fragment}}{{length (list "services")}}{{/fragment}}'],
    [
      'what is collected',
      `${each('{{collect "c" "k" 1}}')}{{#forEach collected.c as |c|}}{{length (list "services")}}{{/forEach}}`,
    ],
  ])('are none: %s', (_, source) => {
    expect(warningsOf(source)).toEqual([]);
  });
});
