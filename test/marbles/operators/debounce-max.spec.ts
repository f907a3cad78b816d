import { marbles } from 'rxjs-marbles';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { debounceMax } from '../../../src/operators/debounce-max.ts';

describe('debounceMax', () => {
  it(
    'passes the first change at once and the newest held one at the end of the window',
    marbles((m) => {
      const source = m.hot('  a-bc-----------|');
      const expected = '      a----c---------|';
      const subs = '          ^--------------!';
      m.expect(source.pipe(debounceMax(5))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'keeps emitting once per window under constant change',
    marbles((m) => {
      const source = m.hot('  abcdefghijklmnop----|');
      const expected = '      a----f----k----p----|';
      m.expect(source.pipe(debounceMax(5))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^-------------------!');
    }),
  );

  it(
    'lets the next change pass at once after a window that ended with nothing held',
    marbles((m) => {
      const source = m.hot('  a------b-----c|');
      const expected = '      a------b-----c|';
      m.expect(source.pipe(debounceMax(5))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^-------------!');
    }),
  );

  it(
    'opens a new window with the trailing emission',
    marbles((m) => {
      const source = m.hot('  a-b---c--------|');
      const expected = '      a----b----c----|';
      m.expect(source.pipe(debounceMax(5))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^--------------!');
    }),
  );

  it(
    'emits a held value before it completes',
    marbles((m) => {
      const source = m.hot('  ab|');
      const expected = '      a----(b|)';
      m.expect(source.pipe(debounceMax(5))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^-!');
    }),
  );

  it(
    'passes an error at once and drops what is held',
    marbles((m) => {
      const source = m.hot('  ab#');
      const expected = '      a-#';
      m.expect(source.pipe(debounceMax(5))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^-!');
    }),
  );

  it(
    'stops its timer and its source when unsubscribed within a window',
    marbles((m) => {
      const source = m.hot('  ab---------');
      const unsub = '         ^--!';
      const expected = '      a---';
      m.expect(source.pipe(debounceMax(5)), unsub).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^--!');
    }),
  );

  it(
    'is the source itself for a window of 0',
    marbles((m) => {
      const source = m.hot('  (ab)c-|');
      const expected = '      (ab)c-|';
      m.expect(source.pipe(debounceMax(0))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^-----!');
    }),
  );

  it(
    'completes and never emits for empty and silent sources',
    marbles((m) => {
      m.expect(m.cold('|').pipe(debounceMax(5))).toBeObservable('|');
      m.expect(m.cold('-').pipe(debounceMax(5)), '^---------!').toBeObservable('-');
    }),
  );

  it('holds back a value that its own emission causes', () => {
    const changes = new Subject<string>();
    const seen: string[] = [];
    const subscription = changes.pipe(debounceMax(60_000)).subscribe((value) => {
      seen.push(value);
      if (value === 'a') changes.next('b');
    });
    changes.next('a');
    expect(seen).toEqual(['a']);
    changes.complete();
    subscription.unsubscribe();
  });
});
