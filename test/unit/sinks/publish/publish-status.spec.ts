import { describe, expect, it } from 'vitest';
import { publishStatus, type StatusWish } from '../../../../src/sinks/publish/publish-status.ts';

const condition = { type: 'Published', status: 'True', reason: 'Complete', message: 'all' } as const;
const wish: StatusWish = {
  generation: 3,
  conditions: [condition],
  times: { renderedAt: 'r', validatedAt: 'v' },
  totalSize: 20,
  contentSize: 10,
  pods: [{ podName: 'a', appliedPlanID: 'p1', deployedAt: 't0', syncDuration: '1ms' }],
};
const first = publishStatus(wish, {}, 'now');
const reread = () => JSON.parse(JSON.stringify(first)) as Readonly<Record<string, unknown>>;

describe('publishStatus', () => {
  it('says everything, and since when', () => {
    expect(first).toStrictEqual({
      observedGeneration: 3,
      deployedToPods: wish.pods,
      metadata: { totalSize: 20, contentSize: 10, renderedAt: 'r', validatedAt: 'v' },
      conditions: [{ ...condition, observedGeneration: 3, lastTransitionTime: 'now' }],
    });
  });

  it('is nothing when all is said, in whatever order and whenever it was said', () => {
    const former = reread();
    const turned = Object.fromEntries(Object.entries(former).reverse());
    expect(publishStatus(wish, turned, 'later')).toBeUndefined();
    const { times: _times, ...untimed } = wish;
    expect(publishStatus(untimed, former, 'later')).toBeUndefined();
    const later = { ...wish.pods?.[0], podName: 'a', deployedAt: 't1', syncDuration: '9ms' };
    expect(publishStatus({ ...wish, pods: [later] }, former, 'later')).toBeUndefined();
  });

  it('names what is retained, keeps that while it is not known, and drops it when it is nothing', () => {
    const config = { name: 'web-retained-1', uid: 'u', planID: '1', checksum: 'c' };
    const told = publishStatus({ ...wish, retained: [config] }, reread(), 'later');
    expect(told?.retainedConfigs).toStrictEqual([config]);
    const former = JSON.parse(JSON.stringify(told)) as Readonly<Record<string, unknown>>;
    expect(publishStatus({ ...wish, retained: [config] }, former, 'later')).toBeUndefined();
    expect(publishStatus(wish, former, 'later')).toBeUndefined();
    expect(publishStatus({ ...wish, generation: 4 }, former, 'later')?.retainedConfigs).toStrictEqual([
      config,
    ]);
    expect(publishStatus({ ...wish, retained: [] }, former, 'later')).not.toHaveProperty('retainedConfigs');
  });

  it('keeps the time of a condition that stays, and has a new one for one that turns', () => {
    const stays = publishStatus({ ...wish, generation: 4 }, reread(), 'later');
    expect(stays?.conditions).toMatchObject([{ lastTransitionTime: 'now', observedGeneration: 4 }]);
    const turned = { ...condition, status: 'False', reason: 'Forbidden' } as const;
    const turns = publishStatus({ ...wish, conditions: [turned] }, reread(), 'later');
    expect(turns?.conditions).toMatchObject([{ lastTransitionTime: 'later', status: 'False' }]);
  });

  it.each([
    ['a pod more', [...(wish.pods ?? []), { podName: 'b' }]],
    ['a pod less', []],
    ['another plan', [{ podName: 'a', appliedPlanID: 'p2' }]],
    ['an error', [{ podName: 'a', appliedPlanID: 'p1', lastError: 'x', consecutiveErrors: 1 }]],
  ])('has news of %s', (_what, pods) => {
    const status = publishStatus({ ...wish, pods }, reread(), 'later');
    expect(status).toBeDefined();
    expect(status?.deployedToPods ?? []).toStrictEqual(pods);
  });

  it('has news of the errors in a row at each doubling alone', () => {
    const failing = (consecutiveErrors: number) => [{ podName: 'a', lastError: 'x', consecutiveErrors }];
    const written = [];
    let former: Readonly<Record<string, unknown>> = {};
    for (let errors = 1; errors <= 40; errors++) {
      const next = publishStatus({ ...wish, pods: failing(errors) }, former, 'now');
      if (next === undefined) continue;
      written.push(errors);
      former = { ...next };
    }
    expect(written).toStrictEqual([1, 2, 4, 8, 16, 32]);
  });
});
