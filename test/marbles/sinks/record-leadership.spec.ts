import { Registry } from 'prom-client';
import pino from 'pino';
import { marbles } from 'rxjs-marbles';
import { asyncScheduler, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { type ElectionNews, recordLeadership } from '../../../src/sinks/record-leadership.ts';

const standby = (leader?: string): ElectionNews => ({
  leadership: { kind: 'standby', ...(leader === undefined ? {} : { leader }) },
});
const news: Record<string, ElectionNews> = {
  s: standby(),
  o: standby('other'),
  l: { leadership: { kind: 'leading', epoch: 3 } },
  r: { leadership: { kind: 'leading', epoch: 9 } },
  e: { ...standby(), ended: 'the Lease was not renewed in time' },
  t: { ...standby('other'), trouble: '403 Forbidden' },
  u: { ...standby('other'), trouble: '500' },
};

describe('what is told of leadership', () => {
  const scene =
    (diagram: string, ms: number, check: (seen: Seen) => Promise<void> | void) => async (): Promise<void> => {
      let seen: Seen | undefined;
      marbles((m) => {
        const registry = new Registry();
        const metrics = createMetrics(registry);
        const lines: Record<string, unknown>[] = [];
        const log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line) as never) });
        const news$ = m.hot(diagram, news);
        const errors: unknown[] = [];
        const running = recordLeadership(
          news$,
          metrics,
          log,
          () => asyncScheduler.now(),
          (error) => errors.push(error),
        );
        // A leader's time is counted for as long as it leads: virtual time has to end.
        running.add(timer(ms).subscribe(() => running.unsubscribe()));
        m.flush();
        m.expect(news$).toHaveSubscriptions([subscribed(ms), subscribed(ms), subscribed(ms)]);
        expect(errors).toEqual([]);
        seen = {
          told: lines.map(({ msg, time: _time, ...fields }) => [msg, fields]),
          value: async (name) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value,
        };
      })();
      if (seen === undefined) throw new Error('nothing was seen');
      await check(seen);
    };
  const subscribed = (ms: number) => `^ ${ms - 1}ms !`;

  interface Seen {
    readonly told: readonly (readonly [unknown, object])[];
    readonly value: (name: string) => Promise<number | undefined>;
  }

  it(
    'is a line per term and per other leader, each once',
    scene('ssoolllrre', 20, ({ told }) => {
      expect(told).toEqual([
        ['another process leads: this one stands by', { level: 30, leader: 'other' }],
        ['this process leads: it writes to pods and objects', { level: 30, epoch: 3 }],
        ['the epoch of the term was raised', { level: 40, epoch: 9, before: 3 }],
        ['this process leads no more', { level: 40, epoch: 9, reason: 'the Lease was not renewed in time' }],
      ]);
    }),
  );

  it(
    'is a warning for each trouble, and a line when it is over',
    scene('ottuuoo', 20, ({ told }) => {
      expect(told.slice(1)).toEqual([
        ['leader election is in trouble, and goes on trying', { level: 40, reason: '403 Forbidden' }],
        ['leader election is in trouble, and goes on trying', { level: 40, reason: '500' }],
        ['leader election goes on as it should', { level: 30 }],
      ]);
    }),
  );

  it(
    'counts the time of leading, through several terms',
    scene('s 999ms l 2499ms r 2499ms e', 9_500, async ({ value }) => {
      expect(await value('haptic_leader_election_time_as_leader_seconds_total')).toBe(5);
      expect(await value('haptic_leader_election_is_leader')).toBe(0);
      expect(await value('haptic_leader_election_transitions_total')).toBe(2);
    }),
  );
});
