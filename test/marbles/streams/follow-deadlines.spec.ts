import { marbles } from 'rxjs-marbles';
import { map, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Deadline } from '../../../src/projections/deadline.ts';
import { followDeadlines } from '../../../src/streams/follow-deadlines.ts';

type Edit = readonly [key: string, deadline?: Deadline];

const passed = (after: number): Deadline => ({ when: { after }, told: 'passed' });
const at = (ms: number, told: Deadline['told']): Deadline => ({ when: { at: ms }, told });

/** Projections that wait for what `edit` says, and what they are told. */
function scene() {
  const graph = createGraph();
  const source = graph.source<Deadline>('waits');
  const times = graph.source<true>('times');
  const deadlines = graph.mapEntries('deadlines', source, (deadline) => deadline);
  const told = (): string => {
    graph.advance();
    return times.keys().join(' ');
  };
  return {
    times,
    edit: ([key, deadline]: Edit) => {
      if (deadline === undefined) source.delete(key);
      else source.set(key, deadline);
      graph.advance();
    },
    told,
    told$: followDeadlines(deadlines, times).pipe(map(told)),
  };
}

describe('deadlines', () => {
  it(
    'are told when they have passed, each for itself, and no more when nobody waits for them',
    marbles((m) => {
      const { edit, told$ } = scene();
      const edits = m.hot('ab 5s c', {
        a: ['long', passed(3_000)] as Edit,
        b: ['short', passed(1_000)] as Edit,
        c: ['long'] as Edit,
      });
      edits.pipe(tap(edit)).subscribe();
      m.expect(told$).toBeObservable('1001ms s 1998ms l 2001ms x', {
        s: 'short',
        l: 'long short',
        x: 'short',
      });
    }),
  );

  it(
    'that are ahead are told until they come, those that have passed from the first moment on',
    marbles((m) => {
      const { edit, told$ } = scene();
      edit(['begins', at(2_000, 'ahead')]);
      edit(['begun', at(-5, 'ahead')]);
      edit(['ends', at(4_000, 'passed')]);
      edit(['ended', at(-5, 'passed')]);
      m.expect(told$).toBeObservable('a 1999ms b 1999ms c', {
        a: 'begins ended',
        b: 'ended',
        c: 'ended ends',
      });
    }),
  );

  it(
    'that are given up, or put off, are not told',
    marbles((m) => {
      const { edit, told$ } = scene();
      const edits = m.hot('ab 500ms c 300ms d', {
        a: ['gone', passed(1_000)] as Edit,
        b: ['later', passed(1_000)] as Edit,
        c: ['gone'] as Edit,
        d: ['later', passed(2_000)] as Edit,
      });
      edits.pipe(tap(edit)).subscribe();
      m.expect(told$).toBeObservable('2803ms a', { a: 'later' });
    }),
  );

  it(
    'are waited for however far they are away, and for no longer than somebody listens',
    marbles((m) => {
      const { edit, told$, times } = scene();
      edit(['far', passed(100 * 24 * 3_600_000)]);
      const unsub = '^ 10s !';
      m.expect(told$, unsub).toBeObservable(m.cold('-'));
      m.flush();
      expect(times.keys()).toEqual([]);
    }),
  );

  it(
    'that nobody waits for any more are taken back by whoever comes next',
    marbles((m) => {
      const { edit, told, told$, times } = scene();
      times.set('stale', true);
      times.set('ended', true);
      told();
      edit(['ended', at(-5, 'passed')]);
      m.expect(told$).toBeObservable('a', { a: 'ended' });
    }),
  );
});
