import { Registry } from 'prom-client';
import { TestScheduler } from 'rxjs/testing';
import { NEVER } from 'rxjs';
import { expect, test } from 'vitest';
import { tellStalls } from '../../../src/cli/controller/tell-stalls.ts';
import { createStallWatch } from '../../../src/operators/stall-watch.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';

test('a stage that is stalled is told once, and once when it goes on', async () => {
  const registry = new Registry();
  const stalls = createStallWatch();
  const lines: string[] = [];
  const gauges: unknown[] = [];
  const scheduler = new TestScheduler((a, b) => expect(a).toStrictEqual(b));
  const metrics = createMetrics(registry);
  scheduler.run(({ cold, expectObservable }) => {
    const telling = tellStalls({
      stalls,
      metrics,
      log: {
        error: (_fields: object, message?: string) => lines.push(`error ${message ?? ''}`),
        info: (_fields: object, message?: string) => lines.push(`info ${message ?? ''}`),
      },
      onFatal: (error) => expect.unreachable(String(error)),
    });
    // Stalled from 5 s to 45 s.
    expectObservable(NEVER.pipe(stalls.over('render', 5_000)), '^ 44999ms !').toBe('-');
    cold('60s (x|)').subscribe({ complete: () => telling.unsubscribe() });
    cold('30500ms (x|)').subscribe({ next: () => gauges.push(stalls.stalled()) });
  });
  expect(lines).toStrictEqual([
    'error a stage of the pipeline is stalled',
    'info a stage of the pipeline goes on',
  ]);
  expect(gauges).toStrictEqual([[{ stage: 'render', for: 30_500 }]]);
  expect(await registry.getSingleMetricAsString('haptic_stage_stalled')).toContain(
    'haptic_stage_stalled{stage="render"} 0',
  );
});
