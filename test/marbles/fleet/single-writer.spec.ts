import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { singleWriter } from '../../../src/fleet/single-writer.ts';

describe('the epoch of a controller without a rival', () => {
  it('begins at zero', () => {
    expect(singleWriter().current()).toBe(0);
  });

  it(
    'rises above what a pod remembers, when it is told of it and not before',
    marbles((m) => {
      const epoch = singleWriter();
      const reclaimed$ = epoch.reclaim(7);
      expect(epoch.current()).toBe(0);
      m.expect(reclaimed$).toBeObservable('(r|)', { r: 'reclaimed' });
      m.flush();
      expect(epoch.current()).toBe(8);
    }),
  );

  it('never falls', () => {
    const epoch = singleWriter();
    epoch.reclaim(7).subscribe();
    epoch.reclaim(3).subscribe();
    expect(epoch.current()).toBe(8);
  });
});
