import { expect, test } from 'vitest';
import { type HealthFacts, healthOf } from '../../../src/cli/controller/health-of.ts';
import type { HealthCheck } from '../../../src/server/health.ts';

const well: HealthFacts = {
  isRunning: () => true,
  stalled: () => [],
  configuration: () => undefined,
  missing: () => [],
  isReleased: () => true,
  renderError: () => undefined,
};
const failures = (checks: readonly HealthCheck[]) =>
  checks.flatMap(({ name, failure }) => {
    const words = failure();
    return words === undefined ? [] : [`${name}: ${words}`];
  });

test('a controller that works is alive and ready', () => {
  const { live, ready } = healthOf(well);
  expect([failures(live), failures(ready)]).toStrictEqual([[], []]);
});

test.each<[Partial<HealthFacts>, string[], string[]]>([
  [{ isRunning: () => false }, ['pipeline: not running'], []],
  [
    {
      stalled: () => [
        { stage: 'render', for: 301_000 },
        { stage: 'check', for: 190_400 },
      ],
    },
    ['stages: stalled: render for 301 s, check for 190 s'],
    [],
  ],
  [{ configuration: () => 'not read yet' }, [], ['configuration: not read yet']],
  [{ missing: () => ['ingresses', 'pods'] }, [], ['stores: waiting for ingresses, pods']],
  [{ isReleased: () => false }, [], ['render: no render was accepted yet']],
  [
    { isReleased: () => false, renderError: () => 'template: bad' },
    [],
    ['render: no render was accepted yet: template: bad'],
  ],
])('one that does not says why: %#', (facts, alive, readiness) => {
  const { live, ready } = healthOf({ ...well, ...facts });
  expect([failures(live), failures(ready)]).toStrictEqual([alive, readiness]);
});
