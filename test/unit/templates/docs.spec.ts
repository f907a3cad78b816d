import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { TemplateConfig } from '../../../src/api/template-config.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import { formatOwner } from '../../../src/lib/owner.ts';
import { createWorld, filesOf } from '../render/renderer-world.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/templates.md'), 'utf8');

interface Block {
  readonly language: string;
  readonly argument: string;
  readonly text: string;
}

/** A template of the page, or a part of a configuration, with the snippets before it and what it must give after it. */
interface Example {
  readonly title: string;
  readonly template: string;
  readonly config: Partial<TemplateConfig>;
  readonly snippets: Readonly<Record<string, string>>;
  readonly expected: readonly Block[];
}

const headings = page.split(/^(?=## )/m);
const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(
    ([, language = '', argument = '', body = '']) => ({
      language,
      argument,
      text: body,
    }),
  );

function examplesOf(section: string): Example[] {
  const title = /^## (.*)/.exec(section)?.[1] ?? '';
  const examples: (Example & { expected: Block[] })[] = [];
  let snippets: Record<string, string> = {};
  for (const block of blocksOf(section)) {
    if (block.language === 'snippet') snippets[block.argument] = block.text;
    else if (block.language === 'handlebars') {
      examples.push({ title, template: block.text, config: {}, snippets, expected: [] });
      snippets = {};
    } else if (block.language === 'yaml') {
      const config = parse(block.text) as Partial<TemplateConfig>;
      examples.push({ title, template: '', config, snippets: {}, expected: [] });
    } else examples.at(-1)?.expected.push(block);
  }
  return examples;
}

const data = JSON.parse(blocksOf(page).find((block) => block.language === 'json')?.text ?? '{}') as Record<
  string,
  Record<string, never>
>;

function run({ template, snippets, config }: Example) {
  const world = createWorld({
    root: template,
    snippets,
    config,
    collections: ['hosts', 'backends'],
    resources: { widgets: undefined, services: undefined },
    extraContext: data['extraContext'] ?? {},
  });
  for (const name of ['hosts', 'backends'])
    for (const [key, value] of Object.entries(data[name] ?? {})) world.collections[name]?.set(key, value);
  for (const name of ['widgets', 'services']) {
    for (const [key, value] of Object.entries(data[`resources.${name}`] ?? {}))
      world.resources[name]?.set(key, value);
  }
  const bundle = world.render();
  const objects = bundle.resources ? [...valuesOf(bundle.resources)].map(({ object }) => object) : [];
  return { files: filesOf(bundle), problems: bundle.problems, objects };
}

const examples = headings.flatMap(examplesOf);

describe('docs/templates.md', () => {
  it('has examples, and each says what it gives', () => {
    expect(examples.length).toBeGreaterThanOrEqual(7);
    for (const example of examples) expect(example.expected.length, example.title).toBeGreaterThan(0);
  });

  it.each(examples.map((example) => [example.title, example] as const))('%s', (_title, example) => {
    const { files, problems, objects } = run(example);
    for (const { language, argument, text } of example.expected) {
      if (language === 'haproxy') expect(files['haproxy.cfg']?.trim()).toBe(text.trim());
      else if (language === 'file') expect(files[argument]).toBe(text);
      else if (language === 'objects')
        expect(objects.map((object) => `${JSON.stringify(object)}\n`).join('')).toBe(text);
      else expect(problems.map(problemLine).join('')).toBe(text);
    }
    const announced = example.expected.some((block) => block.language === 'problems');
    if (!announced) expect(problems).toStrictEqual([]);
  });
});

function problemLine({
  severity,
  reason,
  owner,
  field,
  message,
}: ReturnType<typeof run>['problems'][number]): string {
  return `${severity} ${reason}, ${formatOwner(owner)}, ${field}: ${message}\n`;
}
