import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { immediate$ } from '../../../src/render/immediate.ts';

describe('immediate$', () => {
  it('emits once, after microtasks and never synchronously, then completes', async () => {
    const seen: string[] = [];
    const done = new Promise<void>((resolve) => {
      immediate$.subscribe({
        next: () => seen.push('next'),
        complete: () => {
          seen.push('complete');
          resolve();
        },
      });
    });
    seen.push('subscribed');
    await Promise.resolve();
    seen.push('microtask');
    await done;
    expect(seen).toStrictEqual(['subscribed', 'microtask', 'next', 'complete']);
  });

  it('does nothing after unsubscription', async () => {
    let emitted = 0;
    immediate$.subscribe({ next: () => emitted++ }).unsubscribe();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(emitted).toBe(0);
  });

  it(
    'takes no virtual time: it is no timer',
    marbles((m) => {
      m.expect(immediate$, '^----!').toBeObservable('------');
    }),
  );
});
