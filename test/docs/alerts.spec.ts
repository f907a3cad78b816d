import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { NEVER, of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { metricRows } from '../../scripts/reference/metrics-reference.ts';
import { createAgentMetrics } from '../../src/agent/agent-metrics.ts';
import { createMetrics } from '../../src/sinks/metrics.ts';
import { recordDeliveries } from '../../src/sinks/record-deliveries.ts';
import { recordMetrics } from '../../src/sinks/record-metrics.ts';
import { podOf } from '../fixtures/delivery-reports.ts';
import { promqlLabels, type ScrapedMetric } from '../fixtures/promql-labels.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

const { groups } = parse(read('charts/haptic/monitoring/alerts.yaml')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(read('charts/haptic/monitoring/dashboard.json')) as Dashboard;
const page = read('docs/alerts.md');

/** Everything that is scraped, by the names that a scrape gives it. */
function scraped(): ReadonlyMap<string, ScrapedMetric> {
  const { controller, webhook, agent } = metricRows();
  const nodes = new Registry();
  collectDefaultMetrics({ register: nodes });
  const found = new Map<string, ScrapedMetric>();
  for (const { name, type, labels } of [...controller, ...webhook, ...agent]) {
    if (type !== 'histogram') found.set(name, { type, labels });
    else {
      found.set(`${name}_bucket`, { type: 'counter', labels: [...labels, 'le'] });
      for (const ending of ['_sum', '_count']) found.set(`${name}${ending}`, { type: 'counter', labels });
    }
  }
  for (const { name, type } of nodes.getMetricsAsArray())
    if (String(type) !== 'histogram') found.set(name, { type: String(type), labels: [] });
  return found;
}
const metrics = scraped();
/** What Grafana puts in: any value does for the parser. */
const filled = (expr: string) =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('"$namespace"', '"haptic"');
const labelsOf = (expr: string) => promqlLabels(filled(expr), (name) => metrics.get(name));
const asked = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => read(join('src', name)))
  .join('\n');

/** Names, labels and values that are there; labels of an HAProxy pod and of the target that is scraped not mistaken for each other. */
function expectReal(expr: string): ReadonlySet<string> {
  const { labels, metrics: names, values } = labelsOf(expr);
  expect(names.length).toBeGreaterThan(0);
  for (const { label, value } of values)
    if (label !== 'namespace')
      expect(sources, `value ${value} of ${label}`).toMatch(new RegExp(`'${value}'|\\b${value}:`));
  if (names.some((name) => metrics.get(name)?.labels.includes('pod') === true))
    expect(expr, 'pod of a target is not pod of the metric').not.toMatch(/\bpod\b/);
  for (const [, name = ''] of expr.matchAll(/\b(?:rate|increase)\((\w+)/g))
    expect(metrics.get(name)?.type, `${name} is counted`).toBe('counter');
  return labels ?? new Set();
}

describe.each(alerts)('$alert', ({ expr, annotations, labels, for: lasting }) => {
  test('asks for metrics and labels that are there', () => {
    const result = expectReal(expr);
    const used = asked(annotations.summary + annotations.description, /\{\{ \$labels\.(\w+) \}\}/g);
    expect(used.filter((name) => !result.has(name))).toStrictEqual([]);
  });

  test('says what is seen, what to do next, and where to read on', () => {
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(lasting).toMatch(/^\d+[mh]$/);
    expect(annotations.summary).toMatch(/^[A-Z].{20,}[^.]$/);
    expect(annotations.summary).not.toContain('{{');
    const pages = asked(annotations.description, /\b(docs\/[\w-]+\.md)\b/g);
    expect(pages).toContain('docs/alerts.md');
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.filter((name) => !existsSync(join(root, name)))).toStrictEqual([]);
  });

  test('speaks of values by functions that Prometheus has', () => {
    const functions = asked(annotations.description, /\{\{ \$value \| (\w+) \}\}/g);
    expect(['humanize', 'humanizeDuration']).toEqual(expect.arrayContaining(functions));
    expect(
      annotations.description.replaceAll(/\{\{ \$(?:labels\.\w+|value(?: \| \w+)?) \}\}/g, ''),
    ).not.toMatch(/[{}]/);
  });
});

test('the first time that something happens is seen: its series is there before, at nought', async () => {
  const registry = new Registry();
  const nothing = { render$: NEVER, verdict$: NEVER, latch$: NEVER };
  const recorded = createMetrics(registry);
  const ignore = () => undefined;
  const running = recordMetrics(nothing, recorded, ignore);
  running.add(
    recordDeliveries(
      { delivery$: NEVER, deployment$: NEVER, fleet$: of([podOf('haptic/haproxy-0')]) },
      recorded,
      ignore,
    ),
  );
  running.unsubscribe();
  createAgentMetrics(registry);
  const text = await registry.metrics();
  const sensitive = alerts.flatMap(({ expr }) =>
    [...expr.matchAll(/increase\((\w+)(?:\{(.*?)\})?\[\w+\]\)\) > 0$/g)].map(
      ([, name = '', matcher = '']) => [name, matcher] as const,
    ),
  );
  expect(sensitive.length).toBeGreaterThan(4);
  const there = (name: string, matcher: string) =>
    text
      .split('\n')
      .some((line) => new RegExp(`^${name}(?:\\{.*\\})? 0$`).test(line) && line.includes(matcher));
  expect(sensitive.filter(([name, matcher]) => !there(name, matcher))).toStrictEqual([]);
});

test('leaders are counted for each installation, of which a namespace may have several', () => {
  const counts = alerts.filter(({ expr }) => /\bsum\b.*haptic_leader_election_is_leader\)/.test(expr));
  expect(counts.map(({ alert }) => alert)).toStrictEqual(['HapticNoLeader', 'HapticTwoLeaders']);
  for (const { expr } of counts) expect(expr).toContain('by (namespace, job)');
});

test('metrics and values in descriptions are there', () => {
  const text = alerts.map(({ annotations }) => annotations.description).join('\n') + page;
  for (const name of asked(text, /\b(haptic_[a-z_]+)\b/g))
    expect(metrics.has(name) || metrics.has(`${name}_bucket`), name).toBe(true);
});

test('taps that are named are there', () => {
  const taps = asked(read('docs/observe.md'), /^\| `([\w.<>-]+)` /gm);
  const text = alerts.map(({ annotations }) => annotations.description).join('\n');
  const named = [...asked(text, /\btap ([\w-]+)/g), ...asked(page, /\btap `([\w.-]+)`/g)];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !taps.includes(name))).toStrictEqual([]);
});

test('the page has a row for each alert, with its severity, in order', () => {
  const rows = [...page.matchAll(/^\| `(Haptic\w+)` +\| `(\w+)` +\| .{20,} \|$/gm)].map(
    ([, name, severity]) => [name, severity],
  );
  expect(rows).toStrictEqual(alerts.map(({ alert, labels }) => [alert, labels.severity]));
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

test('links to parts of pages lead to a heading', () => {
  for (const [, name = '', part = ''] of page.matchAll(/\]\(([\w-]+\.md)#([\w-]+)\)/g)) {
    const headings = asked(read(`docs/${name}`), /^#+ (.+)$/gm).map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(headings, name).toContain(part);
  }
});

describe('the dashboard', () => {
  const targets = dashboard.panels.flatMap(({ title, targets: list = [] }) =>
    list.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
  );

  test.each(targets)('$title: $expr', ({ expr, legendFormat }) => {
    const result = expectReal(expr);
    expect(asked(legendFormat, /\{\{(\w+)\}\}/g).filter((name) => !result.has(name))).toStrictEqual([]);
    // All series have a name, and different ones.
    expect([...result].filter((name) => !legendFormat.includes(`{{${name}}}`))).toStrictEqual([]);
    expect(expr.match(/\w+\{/g)?.length).toBe(expr.match(/namespace="\$namespace"/g)?.length);
  });

  test('marks changes of the leader', () => {
    for (const { expr } of dashboard.annotations.list) expectReal(expr);
  });

  test('has panels side by side, each with a number of its own', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const taken = new Set<string>();
    for (const { gridPos, title } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`), title).toBe(false);
          taken.add(`${x},${y}`);
        }
    }
  });

  test('shows every metric that an alert asks for', () => {
    const shown = new Set(targets.flatMap(({ expr }) => labelsOf(expr).metrics));
    // These two are in the list of alerts rather than in a picture.
    const apart = [
      'haptic_last_full_sync_timestamp_seconds',
      'haptic_deployment_consecutive_failures',
      'haptic_http_content_total',
    ];
    const wanted = new Set(alerts.flatMap(({ expr }) => labelsOf(expr).metrics));
    for (const name of apart) wanted.delete(name);
    const missing = [...wanted].filter((name) => !shown.has(name) && !name.includes('transitions'));
    expect(missing).toStrictEqual([]);
  });
});

describe('the check itself', () => {
  const known: ReadonlyMap<string, ScrapedMetric> = new Map([
    ['a_total', { type: 'counter', labels: ['kind'] }],
    ['b', { type: 'gauge', labels: [] }],
  ]);
  const check = (expr: string) => promqlLabels(expr, (name) => known.get(name));

  test.each([
    ['sum by (', /no PromQL/],
    ['missing > 0', /no metric is called missing/],
    ['a_total{colour="red"}', /a_total has no label colour/],
    ['sum by (colour) (a_total)', /there is no label colour/],
    ['b and on (kind) a_total', /no label kind on both sides/],
    ['a_total and b', /the two sides never match/],
    ['sum by (namespace) (a_total / on (job) b)', /there is no label namespace/],
    ['histogram_quantile(0.9, sum by (kind) (a_total))', /buckets without le/],
    ['label_replace(b, "x", "y", "z", "")', /LabelReplace is not known here/],
  ])('refuses %s', (expr, message) => {
    expect(() => check(expr)).toThrow(message);
  });

  test('tells labels and values of a result', () => {
    const { labels, values } = check('sum by (kind) (rate(a_total{kind=~"x|y"}[5m])) > 0');
    expect([...(labels ?? [])]).toStrictEqual(['kind']);
    expect(values.map(({ value }) => value)).toStrictEqual(['x', 'y']);
    expect([...(check('b and on (job) a_total').labels ?? [])]).toStrictEqual([
      'job',
      'instance',
      'namespace',
      'pod',
    ]);
  });
});
