import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/cli/read-config.ts';
import { templateWarnings } from '../../../src/cli/template-warnings.ts';

const shipped = await readConfig(`${import.meta.dirname}/../../../charts/haptic/libraries`, []);
const withSnippets = (snippets: Readonly<Record<string, string>>) => ({
  ...shipped,
  templateSnippets: {
    ...shipped.templateSnippets,
    ...Object.fromEntries(Object.entries(snippets).map(([name, template]) => [name, { template }])),
  },
});

describe('templateWarnings', () => {
  it('has nothing to say of the shipped libraries', () => {
    expect(templateWarnings(shipped)).toEqual([]);
  });

  it('tells snippets that nothing prints and numbers that sort oddly, in order of name', () => {
    expect(
      templateWarnings(withSnippets({ 'util-mine': '', 'frontends-5-mine': '', 'backend-500-mine': '' })),
    ).toEqual([
      'backend-500-mine: no template prints the extension point backend-*',
      'frontends-5-mine: the number 5 has not three digits: snippets of frontends-* are printed in the order of their names, as texts',
      'util-mine: no template uses this snippet',
    ]);
  });

  it('leaves templates that are wrong to whoever runs them', () => {
    expect(templateWarnings(withSnippets({ 'frontends-500-mine': '{{nope}}', 'util-mine': '' }))).toEqual([]);
    expect(
      templateWarnings(withSnippets({ 'frontends-500-mine': '{{fail "no"}}', 'util-mine': '' })),
    ).toEqual([]);
  });
});
