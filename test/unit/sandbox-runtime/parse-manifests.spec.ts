import { expect, test } from 'vitest';
import { parseManifests } from '../../../src/sandbox/runtime/parse-manifests.ts';

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

test('reads every document and skips empty ones and comments', () => {
  const { objects, problems } = parseManifests(
    `# head\n---\n${pod('a')}---\n# nothing\n---\n${pod('b')}---\n`,
  );
  expect(problems).toStrictEqual([]);
  expect(objects.map((object) => object.metadata.name)).toStrictEqual(['a', 'b']);
});

test('reads JSON', () => {
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'j', labels: { a: 'b' } },
    spec: {},
  });
  expect(parseManifests(text).objects).toStrictEqual([
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'j', labels: { a: 'b' } }, spec: {} },
  ]);
});

test('opens lists, and names the place of a bad item', () => {
  const items = [
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } },
    { apiVersion: 'v1', kind: 'Pod' },
  ];
  const { objects, problems } = parseManifests(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  expect(objects.map((object) => object.metadata.name)).toStrictEqual(['x']);
  expect(problems).toStrictEqual(['line 1, items[1]: Pod: metadata.name is missing']);
});

test.each([
  ['kind: Pod\nmetadata: { name: a }\n', 'line 1: apiVersion is missing'],
  ['apiVersion: v1\nmetadata: { name: a }\n', 'line 1: kind is missing'],
  ['apiVersion: v1\nkind: Pod\n', 'line 1: Pod: metadata.name is missing'],
  ['apiVersion: v1\nkind: Pod\nmetadata: { name: "" }\n', 'line 1: Pod: metadata.name is missing'],
  ['- a\n- b\n', 'line 1: a Kubernetes object is a mapping with apiVersion, kind and metadata'],
  ['just words\n', 'line 1: a Kubernetes object is a mapping with apiVersion, kind and metadata'],
])('%j is a problem', (text, problem) => {
  expect(parseManifests(text)).toStrictEqual({ objects: [], problems: [problem] });
});

test('a document that is no YAML does not hide the others, and its line is told', () => {
  const { objects, problems } = parseManifests(`${pod('a')}---\nfoo: [1, 2\nbar: }\n---\n${pod('b')}`);
  expect(objects.map((object) => object.metadata.name)).toStrictEqual(['a', 'b']);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^line [67]: /);
});

test('an alias bomb is refused, not expanded', () => {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(', ')}]`,
  );
  const { objects, problems } = parseManifests(`l0: &l0 x\n${levels.join('\n')}\n`);
  expect(objects).toStrictEqual([]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/alias/i);
});
