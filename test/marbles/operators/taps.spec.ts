import { marbles } from 'rxjs-marbles';
import { EMPTY, of } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { createTaps } from '../../../src/operators/taps.ts';

const upper = (value: string) => value.toUpperCase();

describe('taps', () => {
  it(
    'passes values, completion and errors through untouched',
    marbles((m) => {
      const taps = createTaps();
      const source = m.hot('  a-b-|');
      m.expect(source.pipe(taps.point('x', upper))).toBeObservable('a-b-|');
      m.expect(source).toHaveSubscriptions('^---!');
      m.expect(m.cold<string>('a#').pipe(taps.point('y', upper))).toBeObservable('a#');
    }),
  );

  it(
    'shows the current value first, then every later one, without subscribing to the source',
    marbles((m) => {
      const taps = createTaps();
      const source = m.hot('  a---b---c-|');
      m.expect(source.pipe(taps.point('x', upper))).toBeObservable('a---b---c-|');
      const late = '          --^--------!';
      m.expect(taps.watch('x') ?? EMPTY, late).toBeObservable('--A-B---C--');
      m.expect(source).toHaveSubscriptions('^---------!');
    }),
  );

  it('describes nothing while nobody looks', () => {
    const taps = createTaps();
    const describeValue = vi.fn(upper);
    const seen: unknown[] = [];
    const point = taps.point('x', describeValue);
    of('a').pipe(point).subscribe();
    expect(describeValue).not.toHaveBeenCalled();
    taps.watch('x')?.subscribe((value) => seen.push(value));
    expect(seen).toEqual(['A']);
  });

  it('names its points and refuses to name two alike', () => {
    const taps = createTaps();
    taps.point('x', upper);
    expect(taps.names()).toEqual(['x']);
    expect(taps.watch('nope')).toBeUndefined();
    expect(() => taps.point('x', upper)).toThrow('tap x exists already');
  });
});
