import { marbles } from 'rxjs-marbles';
import { Subject, asyncScheduler, switchMap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { abortable } from '../../../src/operators/abortable.ts';

/** Promises are not virtual in marble time: what comes of the work is tested on real microtasks, when it ends in marbles. */
describe('abortable', () => {
  const later = async () => new Promise<void>((resolve) => setImmediate(resolve));

  it(
    'begins and aborts in the frame in which it is subscribed and unsubscribed',
    marbles((m) => {
      const log: string[] = [];
      const endless = (name: string) =>
        abortable<string>(async (signal) => {
          const note = (what: string) => log.push(`${asyncScheduler.now()} ${what} ${name}`);
          note('begins');
          signal.addEventListener('abort', () => note('aborts'));
          return new Promise(() => undefined);
        });
      const source = m.hot('  --a---b------');
      const unsub = '         ^--------!   ';
      m.expect(source.pipe(switchMap(endless)), unsub).toBeObservable('-');
      m.expect(source).toHaveSubscriptions(unsub);
      m.flush();
      expect(log).toEqual(['2 begins a', '6 aborts a', '6 begins b', '9 aborts b']);
    }),
  );

  it('starts on subscription, emits the result and completes', async () => {
    let started = 0;
    const seen: string[] = [];
    const work$ = abortable(async () => {
      started++;
      return Promise.resolve('done');
    });
    expect(started).toBe(0);
    work$.subscribe({ next: (value) => seen.push(value), complete: () => seen.push('complete') });
    await later();
    expect(seen).toEqual(['done', 'complete']);
    expect(started).toBe(1);
  });

  it('aborts the signal when unsubscribed and swallows the rejection that follows', async () => {
    let signal: AbortSignal | undefined;
    const errors: unknown[] = [];
    const subscription = abortable(
      async (given) =>
        new Promise((_, reject) => {
          signal = given;
          given.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    ).subscribe({ error: (error: unknown) => errors.push(error) });
    subscription.unsubscribe();
    await later();
    expect(signal?.aborted).toBe(true);
    expect(errors).toEqual([]);
  });

  it('passes a rejection on as an error', async () => {
    const errors: unknown[] = [];
    abortable(async () => Promise.reject(new Error('refused'))).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    await later();
    expect(errors).toEqual([new Error('refused')]);
  });

  it('cancels the former work within switchMap', async () => {
    const signals: AbortSignal[] = [];
    const source = new Subject<number>();
    const seen: number[] = [];
    source
      .pipe(
        switchMap((n) =>
          abortable(async (signal) => {
            signals.push(signal);
            await later();
            return n;
          }),
        ),
      )
      .subscribe((n) => seen.push(n));
    source.next(1);
    source.next(2);
    await later();
    await later();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect(seen).toEqual([2]);
  });
});
