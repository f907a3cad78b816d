import { Registry } from 'prom-client';
import { Subject } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../../src/sinks/metrics.ts';
import type { PublishReport } from '../../../../src/sinks/publish/publish-effects.ts';
import { recordPublishing } from '../../../../src/sinks/publish/record-publishing.ts';

function scene() {
  const lines: string[] = [];
  const say = (level: string) => (_fields: object, message: string) => lines.push(`${level}: ${message}`);
  const registry = new Registry();
  return {
    lines,
    registry,
    metrics: createMetrics(registry),
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
  };
}

const reportOf = (more: Partial<PublishReport>): PublishReport => ({
  kind: 'written',
  object: 'HAProxyCfg web',
  failing: 0,
  ...more,
});

describe('recordPublishing', () => {
  it(
    'lives as long as its subscription',
    marbles((m) => {
      const { metrics, log } = scene();
      const reports = m.hot('-w--w-', { w: reportOf({}) });
      const recording = recordPublishing(reports, metrics, log, () => undefined);
      m.scheduler.schedule(() => recording.unsubscribe(), 3);
      m.expect(reports).toHaveSubscriptions('^--!');
    }),
  );

  it('tells each publication, and once what an object fails of', async () => {
    const { metrics, log, lines, registry } = scene();
    const reports = new Subject<PublishReport>();
    recordPublishing(reports, metrics, log, () => undefined);
    const no = { kind: 'refused', message: 'no', failing: 1 } as const;
    for (const report of [{}, { kind: 'published' as const }, no, no, { ...no, message: 'never' }, {}, no])
      reports.next(reportOf(report));
    reports.next(reportOf({ kind: 'off', message: 'no CRD', failing: 1 }));
    reports.next(reportOf({ kind: 'ready' }));
    reports.next(reportOf({ kind: 'too_large' }));
    expect(lines).toStrictEqual([
      'debug: published object',
      'info: render is published',
      'warn: publishing fails',
      'debug: publishing still fails',
      'warn: publishing fails',
      'debug: published object',
      'warn: publishing fails',
      'warn: renders cannot be published',
      'info: renders can be published again',
      'warn: a file is too large to be published',
    ]);
    const text = await registry.metrics();
    expect(text).toContain('haptic_published_total{result="refused"} 4');
    expect(text).toContain('haptic_publishing_failing 0');
  });
});
