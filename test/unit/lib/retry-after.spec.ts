import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../../src/lib/retry-after.ts';

const longest = 300_000;
const now = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');

describe('retryAfterMs', () => {
  it('reads seconds and HTTP dates', () => {
    expect(retryAfterMs('7', now, longest)).toBe(7000);
    expect(retryAfterMs(' 0 ', now, longest)).toBe(0);
    expect(retryAfterMs('Sun, 06 Nov 1994 08:49:39 GMT', now, longest)).toBe(2000);
  });

  it('takes a date in the past as now, and nothing as longer than the longest', () => {
    expect(retryAfterMs('Sun, 06 Nov 1994 08:00:00 GMT', now, longest)).toBe(0);
    expect(retryAfterMs('86400', now, longest)).toBe(300_000);
    expect(retryAfterMs('Mon, 07 Nov 1994 08:49:37 GMT', now, longest)).toBe(300_000);
  });

  it('ignores what is neither', () => {
    for (const header of [undefined, '', 'soon', '-1', '1.5', '5s', '2026', 'Sunday'])
      expect(retryAfterMs(header, now, longest)).toBe(header === '2026' ? 300_000 : undefined);
  });

  it('is undefined or between 0 and the longest, whatever the header', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 4e12 }), (header, at) => {
        const ms = retryAfterMs(header, at, longest);
        return ms === undefined || (ms >= 0 && ms <= 300_000);
      }),
    );
  });
});
