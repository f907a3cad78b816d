import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Counter, Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createAgentMetrics } from '../../src/agent/agent-metrics.ts';
import { followTlsFolder } from '../../src/lib/tls/tls-folder.ts';
import { createMetrics } from '../../src/sinks/metrics.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/observe.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` *\| (.*?) *\|$/gm)].map(
  ([, name = '', rest = '']) => [name, ...rest.split('|').map((cell) => cell.trim())] as const,
);

/** Name, type, labels and help of what is registered, as the page has them. */
function listed(metrics: readonly object[]) {
  const typeOf = (metric: object) =>
    metric instanceof Counter ? 'counter' : metric instanceof Gauge ? 'gauge' : 'histogram';
  return metrics.map((metric) => {
    const { name, help, labelNames } = metric as { name: string; help: string; labelNames: string[] };
    return [name, typeOf(metric), labelNames.map((label) => `\`${label}\``).join(', '), help];
  });
}

const agentsPart = page.indexOf('## See what the agents do');
const isAgents = ([name]: readonly [string, ...string[]]) => page.indexOf(`| \`${name}\``) > agentsPart;

test('every metric of the controller is listed as it is registered', () => {
  const registered = listed(Object.values(createMetrics(new Registry())));
  expect(registered.length).toBeGreaterThan(10);
  expect(rows.filter((row) => row[0].startsWith('haptic_') && !isAgents(row))).toStrictEqual(registered);
});

test('every metric of an agent is listed as it is registered', () => {
  const registry = new Registry();
  createAgentMetrics(registry, followTlsFolder('/nowhere'));
  const registered = listed(registry.getMetricsAsArray());
  expect(registered.length).toBeGreaterThan(8);
  expect(rows.filter((row) => row[0].startsWith('haptic_') && isAgents(row)).toSorted(byName)).toStrictEqual(
    registered.toSorted(byName),
  );
});

function byName([a]: readonly (string | undefined)[], [b]: readonly (string | undefined)[]): number {
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

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
