import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReloadPacer, earliestReload } from '../../../src/agent/apply/reload-pacer.ts';
import { fakeClock } from '../../fixtures/fake-clock.ts';

const scene = () => {
  const clock = fakeClock();
  const rings: number[] = [];
  const pacer = createReloadPacer(clock, () => rings.push(clock.now()));
  return { clock, rings, pacer, start: clock.now() };
};

describe('the pacer', () => {
  it('rings once, when it is due', () => {
    const { clock, rings, pacer, start } = scene();
    pacer.arm(start + 5_000);
    clock.turn(4_999);
    expect(rings).toEqual([]);
    clock.turn(1);
    expect(rings).toEqual([start + 5_000]);
    clock.turn(60_000);
    expect(rings).toHaveLength(1);
    expect(clock.waiting()).toBe(0);
  });

  it('rings at once for a time that is past', () => {
    const { clock, rings, pacer, start } = scene();
    pacer.arm(start - 1);
    clock.turn(0);
    expect(rings).toEqual([start]);
  });

  it('knows only the time it was given last, and none when it is disarmed', () => {
    const { clock, rings, pacer, start } = scene();
    pacer.arm(start + 1_000);
    pacer.arm(start + 3_000);
    clock.turn(2_999);
    expect(rings).toEqual([]);
    clock.turn(1);
    expect(rings).toEqual([start + 3_000]);
    pacer.arm(start + 4_000);
    pacer.disarm();
    clock.turn(10_000);
    expect(rings).toHaveLength(1);
    expect(clock.waiting()).toBe(0);
  });

  it('follows a wall clock that is set, within a second', () => {
    const { clock, rings, pacer, start } = scene();
    pacer.arm(start + 30_000);
    clock.turn(500);
    clock.setWall(start + 40_000);
    clock.turn(1_000);
    expect(rings).toHaveLength(1);
  });

  it('never rings early, for any steps of time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20_000 }),
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 30 }),
        (wait, steps) => {
          const { clock, rings, pacer, start } = scene();
          pacer.arm(start + wait);
          for (const step of steps) {
            clock.turn(step);
            expect(rings.length > 0).toBe(clock.now() >= start + wait);
          }
          expect(rings.every((at) => at >= start + wait)).toBe(true);
          expect(rings.length).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('the earliest reload', () => {
  it.each([
    ['there was none', 0, 5_000, 100_000],
    ['the last was long ago', 10_000, 5_000, 100_000],
    ['the last was just as long ago', 95_000, 5_000, 100_000],
    ['the last was a moment ago', 99_000, 5_000, 104_000],
    ['reloads are not paced', 99_999, 0, 100_000],
    ['the wall clock was set back', 900_000, 5_000, 105_000],
  ])('when %s', (_when, last, interval, expected) => {
    expect(earliestReload(100_000, last, interval)).toBe(expected);
  });
});
