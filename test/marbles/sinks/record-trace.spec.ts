import { Registry } from 'prom-client';
import { from } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/protocol/trace-event.ts';
import { createEventHistory } from '../../../src/sinks/event-history.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { recordTrace } from '../../../src/sinks/record-trace.ts';

const delivery = {
  type: 'delivery',
  id: 't-1',
  planId: '1',
  pod: 'p',
  mode: 'runtime',
  tookMs: 20,
  sinceChangeMs: 40,
  operations: 1,
  reasons: [],
} as const satisfies TraceEvent;
const events: Record<string, TraceEvent> = {
  c: { type: 'changes', id: 't-1', resource: 'ingresses', count: 1, objects: ['~web/shop'] },
  r: {
    type: 'render',
    id: 't-1',
    planId: '1',
    revision: 1,
    tookMs: 4,
    waitedMs: 2,
    cacheState: 'warm',
    changes: 1,
  },
  v: { type: 'verdict', id: 't-1', planId: '1', verdict: 'accepted', afterMs: 70, findings: 0 },
  d: delivery,
  l: { ...delivery, pod: 'q', mode: 'reload', reasons: ['backend a: new, and …', 'map m: …', 'what else'] },
  f: { ...delivery, pod: 'q', mode: 'failed', reasons: ['ECONNREFUSED'] },
  n: { ...delivery, mode: 'noop' },
  e: {
    type: 'revision',
    id: 't-1',
    planId: '1',
    revision: 1,
    trigger: { ingresses: 1 },
    objects: ['ingresses ~web/shop'],
    renders: 1,
    renderMs: 4,
    gateMs: 70,
    applyMs: 20,
    totalMs: 80,
    pods: { runtime: 1, reload: 1 },
    reloads: ['backend a: new, and …'],
  },
  x: { type: 'rejected', id: 't-2', message: 'no' },
};

describe('recordTrace', () => {
  it(
    'measures, remembers, and tells in one line what came into effect',
    marbles((m) => {
      const registry = new Registry();
      const metrics = createMetrics(registry);
      const history = createEventHistory(100, () => 0);
      const lines: unknown[] = [];
      const log = { info: (fields: object, message: string) => lines.push([message, fields]) };
      const event$ = m.hot('-crvdlfnex-|', events);
      const recording = recordTrace(event$, {
        metrics,
        history,
        log,
        onError: (error) => expect.unreachable(String(error)),
      });
      m.flush();
      recording.unsubscribe();
      m.expect(event$).toHaveSubscriptions('^----------!');
      const { type: _type, id: correlationId, ...told } = events['e'] as TraceEvent;
      expect(lines).toStrictEqual([['revision in effect', { correlationId, ...told }]]);
      expect(history.last(100, 't-2')).toStrictEqual([
        { seq: 9, at: '1970-01-01T00:00:00.000Z', type: 'rejected', message: 'no', correlationId: 't-2' },
      ]);
      expect(history.last(100)).toHaveLength(9);
    }),
  );

  it('counts renders, stages and causes of reloads', async () => {
    const registry = new Registry();
    const metrics = createMetrics(registry);
    const history = createEventHistory(1, () => 0);
    recordTrace(from(Object.values(events)), {
      metrics,
      history,
      log: { info: () => undefined },
      onError: (error) => expect.unreachable(String(error)),
    });
    const text = await registry.metrics();
    const value = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    expect(value('haptic_render_total{cache_state="warm"}')).toBe(1);
    expect(value('haptic_turn_changes_sum')).toBe(1);
    expect(value('haptic_stage_duration_seconds_sum{stage="wait"}')).toBe(0.002);
    expect(value('haptic_stage_duration_seconds_sum{stage="render"}')).toBe(0.004);
    expect(value('haptic_stage_duration_seconds_sum{stage="gate"}')).toBe(0.07);
    expect(value('haptic_stage_duration_seconds_count{stage="apply"}')).toBe(2);
    expect(value('haptic_change_to_ack_seconds_sum')).toBe(0.08);
    expect(value('haptic_reload_reasons_total{cause="backend"}')).toBe(1);
    expect(value('haptic_reload_reasons_total{cause="map"}')).toBe(1);
    expect(value('haptic_reload_reasons_total{cause="other"}')).toBe(1);
  });
});
