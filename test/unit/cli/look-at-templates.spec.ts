import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/cli/read-config.ts';
import { lookAtTemplates } from '../../../src/cli/look-at-templates.ts';

const shipped = await readConfig(`${import.meta.dirname}/../../../charts/haptic/libraries`, []);
const withSnippets = (snippets: Readonly<Record<string, string>>) => ({
  ...shipped,
  templateSnippets: {
    ...shipped.templateSnippets,
    ...Object.fromEntries(Object.entries(snippets).map(([name, template]) => [name, { template }])),
  },
});

const remarks = (config: typeof shipped) => lookAtTemplates(config, (template) => `<${template}>`);

describe('lookAtTemplates', () => {
  it('has nothing to say of the shipped libraries', () => {
    expect(remarks(shipped)).toEqual({ errors: [], faults: [], warnings: [] });
  });

  it('tells snippets that nothing prints and numbers that sort oddly, in order of name', () => {
    expect(
      remarks(withSnippets({ 'util-mine': '', 'frontends-5-mine': '', 'backend-500-mine': '' })).warnings,
    ).toEqual([
      '<backend-500-mine>: no template prints the extension point backend-*',
      '<frontends-5-mine>: the number 5 has not three digits: snippets of frontends-* are printed in the order of their names, as texts',
      '<util-mine>: no template uses this snippet',
    ]);
  });

  it('tells what could never work, with its place', () => {
    expect(remarks(withSnippets({ 'frontends-500-mine': ' {{qouted 1}}', 'util-mine': '' }))).toEqual({
      errors: ['<frontends-500-mine>:1:2: unknown helper "qouted"; did you mean "quoted"?'],
      faults: [],
      warnings: [],
    });
  });

  it('takes the fleet for one of the newest line, as far as templates ask', () => {
    const template = '{{#if (versionAtLeast capabilities.version "3.4")}}# new{{else}}{{fail "old"}}{{/if}}';
    expect(remarks(withSnippets({ 'frontends-500-mine': template }))).toEqual({
      ...{ errors: [], faults: [], warnings: [] },
    });
  });

  it('tells what fails in a run apart: a test may expect it', () => {
    expect(remarks(withSnippets({ 'frontends-500-mine': '{{fail "no"}}', 'util-mine': '' }))).toEqual({
      errors: [],
      faults: ['<frontends-500-mine>:1:1: no'],
      warnings: [],
    });
  });
});
