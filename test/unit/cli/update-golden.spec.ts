import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { updateGolden } from '../../../src/cli/update-golden.ts';
import type { TestReport } from '../../../src/validation/test-report.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'haptic-golden-'))));
afterEach(() => rm(folder, { recursive: true }));

/** What was rendered instead, by index of the assertion. */
function reportOf(testName: string, actual: Readonly<Record<number, string>>): TestReport {
  const assertions = Array.from({ length: 8 }, (_, index) => ({
    type: 'equals' as const,
    description: '',
    passed: actual[index] === undefined,
    ...(actual[index] === undefined ? {} : { actual: actual[index] }),
  }));
  const test = { testName, description: '', passed: false, duration: 0, assertions };
  return { totalTests: 1, passedTests: 0, failedTests: 1, duration: 0, tests: [test] };
}

async function update(texts: readonly string[], report: TestReport) {
  const files = texts.map((_, index) => path.join(folder, `${index}.yaml`));
  await Promise.all(files.map((file, index) => writeFile(file, texts[index]!)));
  const updates = await updateGolden(report, files);
  const written = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return { written, updates: updates.map(({ file, ...rest }) => ({ file: path.basename(file), ...rest })) };
}

const text = `# my tests

validationTests:
  it:   # the first
    fixtures: {widgets: [ {metadata: {name: a}} ]}
    assertions:
      - type: equals   # one line
        target: map:a.map
        expected: 'x'  # will change
      - {type: equals, expected: "y", target: file:b}
      - type: equals
        expected: |
          old
          text
        target: haproxy.cfg # stays
# the end
`;

const expectedOf = (yaml: string, index: number): unknown =>
  parseAllDocuments(yaml).at(-1)?.getIn(['validationTests', 'it', 'assertions', index, 'expected']);

describe('a golden text', () => {
  it.each([
    ['a word', 0, 'word'],
    ['a line with a line end', 0, 'a b\n'],
    ['several lines', 0, 'a\n  b\n\nc\n'],
    ['lines without an end', 0, 'a\nb'],
    ['many line ends', 0, 'a\n\n\n'],
    ['nothing', 0, ''],
    ['what YAML reads as something else', 0, '- "a": {b} # c\n%d\n'],
    ['leading blanks', 2, '    a\n  b\n'],
    ['tabs and backslashes', 2, '\ta\\b\n'],
    ['a block becomes a word', 2, 'word'],
    ['a line within braces', 1, 'z'],
    ['lines within braces', 1, 'a\nb\n'],
  ])('is written: %s', async (_title, index, actual) => {
    const { written, updates } = await update([text], reportOf('it', { [index]: actual }));
    expect(expectedOf(written[0]!, index)).toBe(actual);
    expect(updates).toEqual([{ file: '0.yaml', test: 'it', assertion: index }]);
  });

  it('is all that changes in the file', async () => {
    const { written } = await update([text], reportOf('it', { 0: 'z', 2: 'new\n' }));
    expect(written[0]).toBe(
      text.replace("'x'", '"z"').replace('|\n          old\n          text\n', '|\n          new\n'),
    );
  });

  it('that holds stays as it is written', async () => {
    const { written, updates } = await update([text], reportOf('it', {}));
    expect(written).toEqual([text]);
    expect(updates).toEqual([]);
  });

  it('is written to the last file that has it', async () => {
    const other = 'templatingSettings: {}\n';
    const { written, updates } = await update([text, text, other], reportOf('it', { 0: 'z' }));
    expect(written).toEqual([text, text.replace("'x'", '"z"'), other]);
    expect(updates).toMatchObject([{ file: '1.yaml' }]);
  });

  it('is found in the spec of an object, and in one document of several', async () => {
    const indented = text.replaceAll(/^(?=.)/gm, '  ');
    const file = `a: 1\n---\napiVersion: haproxy-haptic.org/v1alpha1\nkind: HAProxyTemplateConfig\nspec:\n${indented}---\nb: 2\n`;
    const { written } = await update([file], reportOf('it', { 0: 'z' }));
    expect(written[0]).toBe(file.replace("'x'", '"z"'));
  });

  it('that has no place of its own is left alone', async () => {
    const alias = text.replace("expected: 'x'  # will change", 'expected: &t x').replace('"y"', '*t');
    const { written, updates } = await update([alias], reportOf('it', { 1: 'z', 5: 'z' }));
    expect(written).toEqual([alias]);
    expect(updates).toEqual([]);
  });

  it('of an unknown test is left alone', async () => {
    const { updates } = await update([text], reportOf('other', { 0: 'z' }));
    expect(updates).toEqual([]);
  });
});
