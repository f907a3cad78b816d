import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../../src/lib/duration.ts';

const units = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 36e5 } as const;

describe('parseDuration', () => {
  it('reads what Go writes', () => {
    const cases: Readonly<Record<string, number>> = {
      '0': 0,
      '0s': 0,
      '100ms': 100,
      '1m30s': 90_000,
      '1.5h': 5_400_000,
      '.5s': 500,
      '2.s': 2000,
      '1h15m30.918273645s': 4_530_918.273645,
      '250µs': 0.25,
      '250us': 0.25,
      '1000000ns': 1,
    };
    for (const [text, ms] of Object.entries(cases)) expect(parseDuration(text, 'f')).toBeCloseTo(ms, 6);
  });

  it('reads any sequence of numbers with units as their sum', () => {
    const unit = fc.constantFrom(...Object.keys(units)) as fc.Arbitrary<keyof typeof units>;
    const terms = fc.array(fc.tuple(fc.nat({ max: 1_000_000 }), unit), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(terms, (terms) => {
        const text = terms.map(([count, unit]) => `${count}${unit}`).join('');
        const sum = terms.reduce((total, [count, unit]) => total + count * units[unit], 0);
        expect(parseDuration(text, 'f')).toBeCloseTo(sum, 3);
      }),
    );
  });

  it('refuses anything else with a message that names the field and the text', () => {
    for (const text of [
      '',
      '5',
      '1x',
      's',
      '1 s',
      ' 1s',
      '1s ',
      '-1s',
      '+1s',
      '1s2',
      '1,5s',
      'NaNs',
      '0x1s',
      '.s',
      '1e3s',
    ])
      expect(() => parseDuration(text, 'watchedResources.pods.debounceInterval')).toThrow(
        `watchedResources.pods.debounceInterval: ${JSON.stringify(text)} is not a duration`,
      );
  });

  it('never gives anything but a finite time of at least zero, or its coded error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.hmsnuµ-]{0,12}$/)), (text) => {
        try {
          const ms = parseDuration(text, 'f');
          return Number.isFinite(ms) && ms >= 0;
        } catch (error) {
          return (error as { code?: unknown }).code === 'HAPTIC_ERR_CONFIG_DURATION';
        }
      }),
    );
  });

  it('keeps a long text out of its message', () => {
    expect(() => parseDuration('x'.repeat(4000), 'f')).toThrow(new RegExp(`^f: "x{60}…" is not a duration`));
  });
});
