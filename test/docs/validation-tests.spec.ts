import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertionTypes } from '../../src/api/assertion-types.ts';
import { validationTestsSchema } from '../../src/api/schema/validation-tests-schema.ts';
import { readTestConfig } from '../../src/cli/read-test-config.ts';
import { validateOptions } from '../../src/cli/validate-command.ts';
import { reportText } from '../../src/validation/report/report-text.ts';
import { runValidationTests } from '../../src/validation/run-validation-tests.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/validation-tests.md'), 'utf8');
const libraries = path.resolve(import.meta.dirname, '../../charts/haptic/libraries');

interface Example {
  readonly title: string;
  readonly fails: boolean;
  readonly text: string;
  /** What is printed, where the page shows it. */
  readonly output: string | undefined;
}

/** Examples in the order of the page, each with the output that follows before the next. */
const examples: Example[] = [];
let title = '';
for (const [, heading, language, block = ''] of page.matchAll(/^## (.+)$|^```([^\n]+)\n([\s\S]*?)^```$/gm)) {
  if (heading !== undefined) title = heading;
  else if (language?.startsWith('yaml') === true)
    examples.push({ title, fails: language === 'yaml fails', text: block, output: undefined });
  else if (language === 'text') examples.push({ ...examples.pop()!, output: block });
}

/** Times are what they are. */
const withoutTimes = (text: string): string => text.replaceAll(/ \(\d+\.\d+ s\)/g, '');

describe('docs/validation-tests.md', () => {
  const line = newestHaproxyLine();
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'haptic-docs-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(6);
    expect(examples.some(({ fails }) => fails)).toBe(true);
    expect(examples.filter(({ output }) => output !== undefined)).toHaveLength(2);
  });

  it.skipIf(line === undefined).each(examples.map((example, index) => ({ index, ...example })))(
    'example $index of "$title" does what the page says',
    async ({ index, fails, text, output }) => {
      const file = path.join(folder, `${String(index)}.yaml`);
      await writeFile(file, text);
      const { config } = await readTestConfig({ libraries, files: [file], libraryTests: false });
      const report = await runValidationTests({
        config,
        haproxy: { path: line!.path, version: line!.version },
      });
      const printed = withoutTimes(reportText(report));
      expect(report.totalTests).toBeGreaterThan(0);
      if (fails) expect(report.failedTests, printed).toBe(report.totalTests);
      else expect(report.failedTests, printed).toBe(0);
      if (output !== undefined) expect(printed).toBe(output);
    },
  );

  const rowsBelow = (head: string): readonly string[] => {
    const table = page.slice(page.indexOf(head)).split('\n\n')[0] ?? '';
    return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!).slice(1);
  };
  const request = validationTestsSchema.additionalProperties.properties.assertions.items.properties;

  it.each([
    ['| `type` ', assertionTypes],
    ['| `request` ', Object.keys(request.request.properties)],
    ['| `expect` ', Object.keys(request.expect.properties)],
  ])('the table %s lists what there is', (head, names) => {
    expect([...rowsBelow(head)].sort()).toEqual([...names].sort());
  });

  it('names every field of a test, and every flag of the command', () => {
    const fields = Object.keys(validationTestsSchema.additionalProperties.properties);
    expect(fields.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`    ${name}:`))).toEqual(
      [],
    );
    expect(Object.keys(validateOptions).filter((flag) => !page.includes(`--${flag}`))).toEqual([]);
  });
});
