import { expect, it } from 'vitest';
import { shippedTemplates } from '../../../src/config/shipped-templates.ts';

it('has the templates of libraries by the names that places have, and passes over what is none', () => {
  const library = (name: string, spec: unknown) => ({ name, revision: '1', spec });
  const templates = shippedTemplates([
    library('base', {
      haproxyConfig: { template: 'global\n' },
      templateSnippets: { 'a-100-b': { template: 'b' } },
    }),
    library('more', { templateSnippets: { 'a-200-c': { template: 'c' }, odd: 7, none: {} } }),
    library('empty', null),
  ]);
  expect([...templates]).toEqual([
    ['haproxyConfig', 'global\n'],
    ['a-100-b', 'b'],
    ['a-200-c', 'c'],
  ]);
});
