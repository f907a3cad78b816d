import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Counter, Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/sinks/metrics.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/observe.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` *\| (.*?) *\|$/gm)].map(
  ([, name = '', rest = '']) => [name, ...rest.split('|').map((cell) => cell.trim())] as const,
);

test('every metric is listed as it is registered', () => {
  const typeOf = (metric: object) =>
    metric instanceof Counter ? 'counter' : metric instanceof Gauge ? 'gauge' : 'histogram';
  const registered = Object.values(createMetrics(new Registry())).map((metric) => {
    const { name, help, labelNames } = metric as { name: string; help: string; labelNames: string[] };
    return [name, typeOf(metric as object), labelNames.map((label) => `\`${label}\``).join(', '), help];
  });
  expect(registered.length).toBeGreaterThan(10);
  expect(rows.filter(([name]) => name.startsWith('haptic_'))).toStrictEqual(registered);
});

test('every tap is listed', () => {
  const sources = ['src/pipeline.ts', 'src/cli/start-controller.ts'].map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  const taps = sources.flatMap((text) =>
    [...text.matchAll(/taps\.point\(['`]([^'`]+)['`]/g)].map((match) => match[1] ?? ''),
  );
  const names = taps.map((name) => name.replace('${name}', '<name>')).sort();
  expect(names.length).toBeGreaterThan(5);
  const listed = rows.map(([name]) => name).filter((name) => names.includes(name));
  expect(listed.sort()).toStrictEqual(names);
});
