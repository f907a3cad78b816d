import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Counter, Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { webhookFlags } from '../../src/cli/webhook-flags.ts';
import { createWebhookMetrics } from '../../src/webhook/webhook-metrics.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/admission.md'), 'utf8');

test('every metric of the webhook is listed as it is registered', () => {
  const rows = [...page.matchAll(/^\| `(haptic_[^`]+)` *\| (.*?) *\|$/gm)].map(([, name = '', rest = '']) => [
    name,
    ...rest.split('|').map((cell) => cell.trim()),
  ]);
  const registered = Object.values(createWebhookMetrics(new Registry())).map((metric: unknown) => {
    const { name, help, labelNames } = metric as { name: string; help: string; labelNames: string[] };
    const type = metric instanceof Counter ? 'counter' : metric instanceof Gauge ? 'gauge' : 'histogram';
    return [name, type, labelNames.map((label) => `\`${label}\``).join(', '), help];
  });
  expect(registered.length).toBeGreaterThan(5);
  expect(rows).toStrictEqual(registered);
});

test('the flags that it names are there', () => {
  const named = [...page.matchAll(/--(webhook-[a-z-]+)/g)].map(([, flag]) => flag);
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((flag) => !Object.hasOwn(webhookFlags, flag ?? ''))).toStrictEqual([]);
});
