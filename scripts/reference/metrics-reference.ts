import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createAgentMetrics } from '../../src/agent/agent-metrics.ts';
import { followTlsFolder } from '../../src/lib/tls/tls-folder.ts';
import { createEventMetrics } from '../../src/sinks/event-metrics.ts';
import { createMetrics } from '../../src/sinks/metrics.ts';
import { createRetainedMetrics } from '../../src/sinks/retained/retained-metrics.ts';
import { createStatusMetrics } from '../../src/sinks/status-metrics.ts';
import { createWebhookMetrics } from '../../src/webhook/webhook-metrics.ts';

/** A metric as it is registered. */
export interface MetricRow {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Every metric of our own, by who serves it, in the order in which they are registered. */
export function metricRows(): Readonly<Record<'controller' | 'webhook' | 'agent', readonly MetricRow[]>> {
  const agent = new Registry();
  createAgentMetrics(agent, followTlsFolder('/nowhere'));
  return {
    controller: [
      createMetrics(new Registry()),
      createStatusMetrics(new Registry()),
      createEventMetrics(new Registry()),
      createRetainedMetrics(new Registry()),
    ].flatMap((metrics) => Object.values(metrics).map(rowOf)),
    webhook: Object.values(createWebhookMetrics(new Registry())).map(rowOf),
    agent: agent.getMetricsAsArray().filter(isOurs).map(rowOf),
  };
}

/** The page docs/metrics-reference.md. */
export function metricsReference(): string {
  const { controller, webhook, agent } = metricRows();
  return `# Metrics

<!-- Generated from src by ./dev generate. -->
<!-- prettier-ignore-start -->

What they are good for is told in [Watch it work](observe.md). Labels have few values: names of objects and hosts are in the logs and taps.

## Controller

On port 9090 (\`--metrics-listen\`), beside Node's own (\`nodejs_*\`, \`process_*\`: event-loop lag, memory, collections).

${table(controller)}

With the [admission webhook](admission.md):

${table(webhook)}

## Agent

On port 5557 of each HAProxy pod (\`--metrics-listen\`).

${table(agent)}

<!-- prettier-ignore-end -->
`;
}

function table(rows: readonly MetricRow[]): string {
  return [
    '| metric | type | labels | |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replaceAll('|', '\\|')} |`,
    ),
  ].join('\n');
}

function isOurs({ name }: { readonly name: string }): boolean {
  return name.startsWith('haptic_');
}

function rowOf(metric: object): MetricRow {
  const { name, help, labelNames } = metric as { name: string; help: string; labelNames: readonly string[] };
  const type =
    metric instanceof Counter
      ? 'counter'
      : metric instanceof Gauge
        ? 'gauge'
        : metric instanceof Histogram
          ? 'histogram'
          : 'summary';
  return { name, type, labels: labelNames, help };
}
