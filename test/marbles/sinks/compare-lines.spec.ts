import { marbles } from 'rxjs-marbles';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { compareLines } from '../../../src/sinks/compare-lines.ts';
import { ackOf, revertOf } from '../../fixtures/delivery-reports.ts';

const from = (pod: string, haproxyVersion: string) => ackOf(pod, 'plan', { haproxyVersion });

describe('compareLines', () => {
  it(
    'tells once of each pod whose HAProxy is older than the one that checks, and again after it changed',
    marbles((m) => {
      const delivery$ = m.hot('aabcrdae-', {
        a: from('p', '3.0.11-1'),
        b: from('q', '3.2.26'),
        c: from('s', '3.10.1'),
        r: revertOf('p', 'plan', 'good'),
        d: from('p', '3.2.1'),
        e: from('t', 'unknown'),
      });
      const lines: object[] = [];
      const log = { warn: (fields: object) => lines.push(fields) };
      const telling = compareLines(delivery$, '3.2.26', log, (error) => {
        throw error;
      });
      m.cold('--------(u|)').subscribe({ next: () => telling.unsubscribe() });
      m.expect(delivery$).toHaveSubscriptions('^-------!');
      m.flush();
      const told = { pod: 'p', haproxy: '3.0', gate: '3.2' };
      expect(lines).toEqual([told, told]);
    }),
  );

  it('remembers no more pods than a fleet has, however many come and go', () => {
    const told: object[] = [];
    const log = { warn: (fields: object) => told.push(fields) };
    const pods = [...Array.from({ length: 1025 }, (_, n) => `p${n}`), 'p1024', 'p0'];
    compareLines(of(...pods.map((pod) => from(pod, '3.0.11'))), '3.2', log, (error) => {
      throw error;
    });
    expect(told.slice(1024)).toMatchObject([{ pod: 'p1024' }, { pod: 'p0' }]);
  });

  it(
    'hands over an error of the stream',
    marbles((m) => {
      const errors: unknown[] = [];
      const delivery$ = m.cold<never>('-#', undefined, 'broken');
      compareLines(delivery$, '3.2', { warn: () => undefined }, (error) => errors.push(error));
      m.expect(delivery$).toHaveSubscriptions('^!');
      m.flush();
      expect(errors).toEqual(['broken']);
    }),
  );
});
