import { describe, expect, it } from 'vitest';
import { defaultListWatchPolicy, listWatchPolicyFor } from '../../../src/streams/list-watch-policy.ts';

describe('listWatchPolicyFor', () => {
  it('spreads the ends of watches over the last sixth of the time, and leaves the rest as it is', () => {
    const { watchSeconds, ...rest } = listWatchPolicyFor(60);
    expect(watchSeconds).toStrictEqual({ min: 50, max: 60 });
    expect({ ...rest, watchSeconds: defaultListWatchPolicy.watchSeconds }).toStrictEqual(
      defaultListWatchPolicy,
    );
  });

  it('never asks for less than there is', () => {
    expect(listWatchPolicyFor(5).watchSeconds).toStrictEqual({ min: 5, max: 5 });
  });
});
