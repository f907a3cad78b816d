import { describe, expect, it } from 'vitest';
import { limits } from '../../../../../src/projections/policies/topics/limits.ts';

const faultsOf = (fields: Parameters<NonNullable<typeof limits.check>>[0]) =>
  limits.check?.(fields).map(({ field }) => field);

describe('limits', () => {
  it('have one period', () => {
    expect(faultsOf({ limitRps: 1, limitRequests: 1 })).toEqual(['limitRps']);
    expect(faultsOf({ limitRequests: 1, limitPeriod: 60 })).toEqual([]);
  });

  it.each([
    ['1s', { value: 1 }],
    ['1m', { value: 60 }],
    ['1h', { value: 3600 }],
    ['500ms', { fault: expect.any(String) as string }],
    ['1500ms', { fault: expect.any(String) as string }],
    ['2s', { fault: expect.any(String) as string }],
    ['2h', { fault: expect.any(String) as string }],
  ])('have one of few periods: %s', (text, parsed) => {
    expect(limits.fields.limitPeriod?.parse(text)).toEqual(parsed);
  });

  it.each(['header:', 'header:a b', 'header:x)y', 'header:x,y', 'cookie:a', `header:${'x'.repeat(65)}`])(
    'are not by %j',
    (text) => {
      expect(limits.fields.limitBy?.parse(text)).toHaveProperty('fault');
    },
  );
});
