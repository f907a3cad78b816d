import type { HelperExample, HelperSpec } from '../../src/templates/helper-spec.ts';
import { helperGroups, type HelperGroup } from '../../src/templates/helpers/all-helpers.ts';
import { structureHelpers } from '../../src/templates/structure-helpers.ts';
import { contextVariables, type ContextVariable } from './context-variables.ts';
import { exampleData } from './example-data.ts';
import { runExample, type Example } from './run-example.ts';

/** All helpers by chapter, those that put templates together first. */
export const referenceGroups: readonly HelperGroup[] = [
  {
    title: 'Put templates together',
    helpers: structureHelpers({ runSnippet: () => '', matching: () => [], itemNameOf: () => '' }),
  },
  ...helperGroups,
];

/** The page docs/template-reference.md: everything a template can name, with the output of every example as it is now. */
export function templateReference(): string {
  return [
    head,
    '## Data of the examples',
    'Examples without a `{{#forEach}}` of their own are the body of `{{#forEach resources.widgets as |w|}}`, run for this widget:',
    block('json', jsonOf(exampleData.widget)),
    'There is a Service, too, and `extraContext` has these values (a certificate, its key and an archive besides):',
    block('json', jsonOf(exampleData.service)),
    block('json', jsonOf(withoutLongTexts(exampleData.extraContext))),
    '## Names',
    'What a template can begin a path with. Helpers beat names; `this.x` is always a name.',
    ...contextVariables.map(variableEntry),
    ...referenceGroups.flatMap(({ title, helpers }) => [
      `## ${title}`,
      ...Object.entries(helpers).map(([name, spec]) => helperEntry(name, spec)),
    ]),
    '<!-- prettier-ignore-end -->\n',
  ].join('\n\n');
}

const head = `# Template reference

<!-- prettier-ignore-start -->

<!-- Generated from src/templates by ./dev generate; tests run every example. -->

Every name and every helper that templates have. How they are used together is told in [Writing templates](templates.md); what became of
HAPTIC's own functions is in [Migrating from Scriggo](migrating-from-scriggo.md).

A helper that *gives a value* can be an argument of others, \`(concat "a" b)\`, and prints as \`{{x}}\` does: one bare word, anything else is an
error. One that *prints text* writes it as the place needs it. A *block* has a body.`;

function variableEntry({ path, text, example }: ContextVariable): string {
  return [`### \`${path}\``, text, ...shown(example)].join('\n\n');
}

function helperEntry(
  name: string,
  { signature, summary, example, output, only, prints }: HelperSpec,
): string {
  const kind = { value: 'Gives a value', text: 'Prints text', block: 'A block' }[output];
  const where =
    only === undefined ? '' : only === 'fragment' ? ', in fragments only' : ', outside of fragments only';
  const into = prints === undefined ? '' : ', into files and `k8sResources`';
  return [`### ${name}`, `\`${signature}\``, `${summary} *${kind}${where}${into}.*`, ...shown(example)].join(
    '\n\n',
  );
}

function shown(example: HelperExample): string[] {
  const { template, snippets = {} } = exampleOf(example);
  const { files, problems, declared } = runExample(exampleOf(example));
  const source = typeof example === 'string' ? example : template;
  return [
    ...Object.entries(snippets).map(([name, text]) => block(`handlebars snippet ${name}`, text)),
    block('handlebars', source),
    ...Object.entries(files).map(([path, text]) =>
      block(path === 'haproxy.cfg' ? 'haproxy' : `text ${path}`, text.replace(/^\n+/, '')),
    ),
    ...(declared.length === 0 ? [] : [block('json', declared.join('\n'))]),
    ...(problems.length === 0 ? [] : [block('text problems', problems.join('\n'))]),
  ];
}

/** A fragment's example is the body of a forEach over the widget. */
export function exampleOf(example: HelperExample): Example {
  if (typeof example !== 'string')
    return { template: example.whole, ...(example.snippets && { snippets: example.snippets }) };
  return { template: `{{#forEach resources.widgets as |w|}}${example}\n{{/forEach}}` };
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.replace(/\n+$/, '')}\n\`\`\``;
}

function withoutLongTexts(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => typeof value !== 'string' || value.length < 60),
  );
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
