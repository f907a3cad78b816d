import { marbles } from 'rxjs-marbles';
import { type Observable, Subject, defer, from, merge, mergeMap, of, range } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createSlots } from '../../../src/operators/create-slots.ts';

describe('createSlots', () => {
  it(
    'begins as much at once as there are slots, and the rest in order of arrival',
    marbles((m) => {
      const slots = createSlots({ total: 2, suspects: 2 });
      const a = m.cold('       --a|');
      const b = m.cold('       ----b|');
      const c = m.cold('          --c|');
      const d = m.cold('            -d|');
      const asubs = '          ^--!';
      const bsubs = '          ^----!';
      const csubs = '          ---^--!';
      const dsubs = '          -----^-!';
      const expected = '       --a-bcd|';
      m.expect(merge(...[a, b, c, d].map((work) => slots.run(work)))).toBeObservable(expected);
      m.expect(a).toHaveSubscriptions(asubs);
      m.expect(b).toHaveSubscriptions(bsubs);
      m.expect(c).toHaveSubscriptions(csubs);
      m.expect(d).toHaveSubscriptions(dsubs);
    }),
  );

  it(
    'leaves room beside what is under suspicion, and lets the others go first',
    marbles((m) => {
      const slots = createSlots({ total: 2, suspects: 1 });
      const slow = m.cold('    ------s|');
      const slower = m.cold('         --t|');
      const late = m.cold('     --l|');
      const lsubs = '          -^--!';
      const source = m.hot('   -x');
      const arrivals = merge(
        slots.run(slow, { isSuspect: true }),
        slots.run(slower, { isSuspect: true }),
        source.pipe(mergeMap(() => slots.run(late))),
      );
      m.expect(arrivals, '      ^----------!').toBeObservable('---l--s--t-');
      m.expect(slow).toHaveSubscriptions('  ^------!');
      m.expect(slower).toHaveSubscriptions('-------^--!');
      m.expect(late).toHaveSubscriptions(lsubs);
    }),
  );

  it(
    'lets one under suspicion in however many others keep coming',
    marbles((m) => {
      const slots = createSlots({ total: 2, suspects: 1 });
      const busy = m.cold('    --b|');
      const slow = m.cold('       --s|');
      const endless = m.hot('  xxxxxxxxxxxx');
      const source = m.hot('   -s----------');
      const arrivals = merge(
        endless.pipe(mergeMap(() => slots.run(busy))),
        source.pipe(mergeMap(() => slots.run(slow, { isSuspect: true }))),
      );
      m.expect(arrivals, '      ^--------!').toBeObservable('--bb-sb-b');
      m.expect(slow).toHaveSubscriptions('  ---^--!');
    }),
  );

  it(
    'frees the slot on an error, which passes',
    marbles((m) => {
      const slots = createSlots({ total: 1, suspects: 1 });
      const broken = m.cold('  --#');
      const after = m.cold('     -a|');
      m.expect(slots.run(broken)).toBeObservable('--#');
      m.expect(slots.run(after)).toBeObservable('---a|');
      m.expect(broken).toHaveSubscriptions('^-!');
      m.expect(after).toHaveSubscriptions('--^-!');
    }),
  );

  it(
    'ends work that nobody waits for any more, and forgets work that has not begun',
    marbles((m) => {
      const slots = createSlots({ total: 1, suspects: 1 });
      const endless = m.cold(' ------');
      const never = m.cold('   ------');
      const last = m.cold('       -l|');
      m.expect(slots.run(endless), '^--!').toBeObservable('----');
      m.expect(slots.run(never), '  ^-!').toBeObservable('---');
      m.expect(slots.run(last)).toBeObservable('----l|');
      m.expect(endless).toHaveSubscriptions('^--!');
      m.expect(never).toHaveSubscriptions([]);
      m.expect(last).toHaveSubscriptions('---^-!');
    }),
  );

  it('takes ten thousand synchronous works without growing the stack', () => {
    const slots = createSlots({ total: 1, suspects: 1 });
    let done = 0;
    const gate = new Subject<number>();
    slots.run(gate).subscribe();
    range(10_000)
      .pipe(mergeMap((i) => slots.run(of(i))))
      .subscribe(() => done++);
    expect(done).toBe(0);
    gate.complete();
    expect(done).toBe(10_000);
  });

  it('begins nothing before it is subscribed, and each subscription anew', () => {
    const slots = createSlots({ total: 1, suspects: 1 });
    let begun = 0;
    const work: Observable<number> = slots.run(defer(() => from([++begun])));
    expect(begun).toBe(0);
    work.subscribe();
    work.subscribe();
    expect(begun).toBe(2);
  });

  it('tells how many works run, and not who waits', () => {
    const slots = createSlots({ total: 1, suspects: 1 });
    const gate = new Subject<number>();
    const runs = [slots.run(gate).subscribe(), slots.run(gate).subscribe()];
    expect(slots.busy()).toBe(1);
    for (const run of runs) run.unsubscribe();
    expect(slots.busy()).toBe(0);
  });
});
