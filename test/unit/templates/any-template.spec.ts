import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/lib/coded-error.ts';
import { createTemplateEnvironment } from '../../../src/templates/create-template-environment.ts';
import { allHelpers } from '../../../src/templates/helpers/all-helpers.ts';
import type { TrackedReads } from '../../../src/templates/run.ts';
import type { DocumentKind } from '../../../src/templates/vocabulary.ts';

const reads: TrackedReads = {
  single: () => ({ name: 'x' }),
  list: () => [{ name: 'x' }],
  fetch: () => undefined,
  context: () => 'reconcile',
  warn: () => undefined,
};

const blocks = [
  'if',
  'unless',
  'each',
  'with',
  'let',
  'forEach',
  'fragment',
  'section',
  'backend',
  'profile',
  'file',
  'once',
];
const names = [
  'h',
  'h.name',
  '../h',
  './h',
  'this',
  '@root.extraContext',
  '@index',
  'extraContext',
  'extraContext.list',
  'hosts',
  'collected.c',
  'resources.widgets',
  '"text"',
  "'maps/x.map'",
  '1',
  '-0.5',
  'true',
  'null',
  'undefined',
  'a.[b/c]',
  '[if]',
  'if',
  'each',
  '(concat "a" "b")',
  '(list "widgets")',
  '(array 1 2)',
  'x=1',
  'as |h|',
  'as |h k|',
  'as |if each|',
];
const helpers = [
  ...Object.keys(allHelpers),
  'snippets',
  'render',
  'nope',
  'lookup',
  'log',
  'helperMissing',
  '__proto__',
  'constructor',
];
const name = fc.constantFrom(...names);
const call = fc
  .tuple(fc.constantFrom(...helpers, ...names), fc.array(name, { maxLength: 4 }))
  .map(([helper, args]) => [helper, ...args].join(' '));

/** Templates that have everything in the wrong places. */
const template: fc.Arbitrary<string> = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  nodes: fc.array(tie('node'), { maxLength: 4 }).map((parts) => parts.join('')),
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'text ',
      '\n',
      '{{else}}',
      '{{^}}',
      '{{!-- c --}}',
      '\\{{',
      '{{{{raw}}}} {{{{/raw}}}}',
      '{{/if}}',
      '{{',
      '}}',
      '\u0000',
    ),
    call.map((text) => `{{${text}}}`),
    call.map((text) => `{{{${text}}}}`),
    call.map((text) => `{{&${text}}}`),
    fc
      .tuple(
        fc.constantFrom('a', 'b', '[a b]', '"a"', '(concat "a")', '@partial-block'),
        fc.constantFrom('', ' x=1', ' h'),
      )
      .map((parts) => `{{> ${parts.join('')}}}`),
    fc
      .tuple(
        fc.constantFrom('#', '^', '#*', '#>', '#~'),
        fc.constantFrom(...blocks, 'a', 'concat'),
        fc.array(name, { maxLength: 3 }),
        tie('nodes'),
        fc.constantFrom('', '{{else}}x', '{{else if h}}y'),
      )
      .map(
        ([mark, block, args, body, more]) =>
          `{{${mark}${[block, ...args].join(' ')}}}${body}${more}{{/${block}}}`,
      ),
  ),
})).nodes;

describe('whatever a template is', () => {
  it('it works, or what is wrong with it is told with its place', () => {
    let worked = 0;
    fc.assert(
      fc.property(
        template,
        template,
        fc.constantFrom<DocumentKind>('config', 'map', 'file', 'certificate', 'crt-list', 'resource'),
        fc.boolean(),
        (source, snippet, document, isFragment) => {
          try {
            const env = createTemplateEnvironment({
              templates: [
                {
                  name: 't',
                  document,
                  source: isFragment ? `{{#forEach hosts as |h k|}}${source}{{/forEach}}` : source,
                },
              ],
              snippets: { a: snippet, b: 'b' },
              vocabulary: { collections: ['hosts'], resources: { widgets: { indexKeys: 2 } } },
              constants: { extraContext: { list: [1, 'a', {}], name: 'x' } },
            });
            for (const slot of env.renderWhole('t').slots)
              env.renderItem(slot, { name: 'a b', list: [1] }, 'key', reads);
            worked++;
          } catch (error) {
            expect(error).toBeInstanceOf(CodedError);
            expect((error as CodedError).code).toMatch(/^HAPTIC_ERR_TEMPLATE_(INVALID|RENDER)$/);
            expect((error as CodedError).message).toMatch(/^(t|a|b):\d+:\d+: ./);
          }
        },
      ),
      { numRuns: 2000 },
    );
    expect(worked).toBeGreaterThan(50);
  });
});
