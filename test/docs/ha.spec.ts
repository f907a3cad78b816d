import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { controllerSchema } from '../../src/api/schema/controller-schema.ts';
import { runOptions } from '../../src/cli/run-command.ts';
import { sandboxOptions } from '../../src/cli/sandbox-command.ts';
import { epochAnnotation } from '../../src/kube/lease-record.ts';
import { createMetrics } from '../../src/sinks/metrics.ts';
import { readConfig } from '../../src/cli/read-config.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/ha.md'), 'utf8');
const { properties } = controllerSchema.properties.leaderElection;

test('every field of the election is listed with its default', () => {
  for (const [name, { default: value }] of Object.entries(properties)) {
    const row = page
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes(`spec.controller.leaderElection.${name}`));
    expect(row, name).toContain(`\`${String(value)}\``);
  }
});

test('every flag and variable that is named exists', () => {
  const flags = [...page.matchAll(/`(?:haptic sandbox )?--([a-z-]+)/g)].map(([, name = '']) => name);
  expect(flags).toEqual(expect.arrayContaining(['lease-name', 'namespace', 'identity', 'controllers']));
  const known = { ...runOptions, ...sandboxOptions };
  for (const flag of flags) expect(Object.keys(known)).toContain(flag);
  const variables = Object.values(runOptions).flatMap((option) => ('env' in option ? [option.env] : []));
  for (const variable of ['LEASE_NAME', 'POD_NAMESPACE', 'POD_NAME']) {
    expect(page).toContain(`\`${variable}\``);
    expect(variables).toContain(variable);
  }
});

test('every metric that is named exists, and the annotation is the one that is written', async () => {
  const registry = new Registry();
  createMetrics(registry);
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const named = [...page.matchAll(/`(haptic_[a-z_]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect(names).toContain(name);
  expect(page).toContain(`\`${epochAnnotation}\``);
});

test('the right that is given is for Leases alone', () => {
  const [, yaml = ''] = /```yaml\n([^`]+)```/.exec(page) ?? [];
  expect(parse(yaml)).toMatchObject({
    kind: 'Role',
    rules: [
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['get', 'list', 'watch', 'create', 'update'],
      },
    ],
  });
});

test('the shipped configuration elects a leader', async () => {
  const config = await readConfig(join(import.meta.dirname, '../../charts/haptic/libraries'), []);
  expect(config.controller.leaderElection.enabled).toBe(true);
});
