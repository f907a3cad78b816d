import { describe, expect, it } from 'vitest';
import type { DeliveryReport } from '../../../../src/protocol/delivery-report.ts';
import { podEntries } from '../../../../src/sinks/publish/pod-entries.ts';
import { ackOf, failureOf, podOf, revertOf } from '../../../fixtures/delivery-reports.ts';

const noChecksum = () => undefined;

function entriesAfter(...reports: readonly DeliveryReport[]) {
  const pods = podEntries('ns');
  pods.seed([]);
  const news = reports.map((report, i) => pods.note(report, `t${i}`));
  return { pods, news, list: pods.list(noChecksum) };
}

describe('podEntries', () => {
  it('tells what a pod holds and runs, and how it got there', () => {
    const { list } = entriesAfter(
      ackOf('ns/a', 'p1', { mode: 'reload', reloaded: true, reasons: ['new frontend'], tookMs: 12.4 }),
    );
    expect(list).toStrictEqual([
      {
        podName: 'a',
        podUID: 'ns/a',
        podRuntimeID: 'c',
        mode: 'reload',
        reasons: ['new frontend'],
        deployedAt: 't0',
        syncDuration: '12ms',
        lastReloadAt: 't0',
        appliedPlanID: 'p1',
        runningPlanID: 'p1',
      },
    ]);
  });

  it.each([
    ['sees that all is there', ackOf('ns/a', 'p1', { mode: 'noop', cause: 'drift', observed: true })],
    ['sends the same again', ackOf('ns/a', 'p1', { mode: 'file_only', cause: 'drift' })],
    ['sends it as a new leader', ackOf('ns/a', 'p1', { mode: 'file_only' })],
  ])('has no news when a pass over the pods %s', (_what, pass) => {
    const { news, list } = entriesAfter(ackOf('ns/a', 'p1', { reasons: ['why'] }), pass, pass);
    expect(news).toStrictEqual([true, false, false]);
    expect(list).toMatchObject([{ mode: 'runtime', reasons: ['why'], deployedAt: 't0' }]);
  });

  it('has news when such a pass put something right', () => {
    const fix = ackOf('ns/a', 'p1', { mode: 'reload', cause: 'drift', reloaded: true, drifted: ['maps/x'] });
    const { news, list } = entriesAfter(ackOf('ns/a', 'p1'), fix);
    expect(news).toStrictEqual([true, true]);
    expect(list).toMatchObject([{ mode: 'reload', lastReloadAt: 't1', deployedAt: 't1' }]);
  });

  it('keeps what a pod runs while a reload is due, and sees it come', () => {
    const wait = ackOf('ns/a', 'p2', { mode: 'scheduled', converged: false });
    const still = ackOf('ns/a', 'p2', { mode: 'scheduled', converged: false, observed: true });
    const comes = ackOf('ns/a', 'p2', { mode: 'reload', observed: true, reloaded: true });
    const { pods, news } = entriesAfter(ackOf('ns/a', 'p1'), wait, still);
    expect(news).toStrictEqual([true, true, false]);
    expect(pods.list(noChecksum)).toMatchObject([{ appliedPlanID: 'p2', runningPlanID: 'p1' }]);
    expect(pods.note(comes, 't9')).toBe(true);
    expect(pods.list(noChecksum)).toMatchObject([
      { appliedPlanID: 'p2', runningPlanID: 'p2', lastReloadAt: 't9' },
    ]);
  });

  it('counts failures in a row, keeps what the pod has, and forgets them after a success', () => {
    const fails = failureOf('ns/a', 'p2', { stage: 'rejected', message: 'x'.repeat(5000) });
    const { pods, list } = entriesAfter(ackOf('ns/a', 'p1'), fails, fails);
    expect(list).toMatchObject([
      { appliedPlanID: 'p1', mode: 'rejected', consecutiveErrors: 2, lastErrorAt: 't2' },
    ]);
    expect(list[0]?.lastError).toHaveLength(4096);
    pods.note(ackOf('ns/a', 'p1', { mode: 'noop', observed: true }), 't3');
    const [after] = pods.list(noChecksum);
    expect(after).not.toHaveProperty('lastError');
    expect(after).not.toHaveProperty('consecutiveErrors');
  });

  it('does not call a pod rejected that has come to what was rejected before', () => {
    const fails = failureOf('ns/a', 'p1', { stage: 'rejected' });
    const { list } = entriesAfter(ackOf('ns/a', 'p1'), fails, ackOf('ns/a', 'p1', { mode: 'noop' }));
    expect(list).toMatchObject([{ mode: 'noop', appliedPlanID: 'p1' }]);
    expect(list[0]).not.toHaveProperty('lastError');
  });

  it('leaves room for the rest of the object, however many pods there are', () => {
    const reasons = Array.from({ length: 12 }, (_, i) => `${i}`.repeat(1000));
    const reports = Array.from({ length: 400 }, (_, i) => [
      ackOf(`ns/${i}`, 'p1', { reasons }),
      failureOf(`ns/${i}`, 'p2', { message: 'x'.repeat(4000) }),
    ]).flat();
    const { list } = entriesAfter(...reports);
    expect(list).toHaveLength(400);
    expect(JSON.stringify(list).length).toBeLessThan(400_000);
    expect(list[0]?.reasons).toStrictEqual(['0'.repeat(128), 'and 11 more']);
    expect(list[0]?.lastError).toHaveLength(128);
  });

  it('tells at most eight reasons, and how many there were more', () => {
    const reasons = Array.from({ length: 12 }, (_, i) => `reason ${i}`);
    const { list } = entriesAfter(ackOf('ns/a', 'p1', { reasons }));
    expect(list[0]?.reasons).toStrictEqual([...reasons.slice(0, 7), 'and 5 more']);
  });

  it('tells of a pod that went back what it went back to', () => {
    const { list } = entriesAfter(ackOf('ns/a', 'p2'), revertOf('ns/a', 'p2', 'p1'));
    expect(list).toMatchObject([{ appliedPlanID: 'p1', runningPlanID: 'p1', mode: 'rejected' }]);
  });

  it('takes another pod of the same name for another', () => {
    const other = ackOf('ns/a', 'p2', { pod: podOf('ns/a', { uid: 'other' }) });
    const { list } = entriesAfter(failureOf('ns/a', 'p1'), other);
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({ podUID: 'other', appliedPlanID: 'p2' });
    expect(list[0]).not.toHaveProperty('lastError');
  });

  it('goes on from what the former leader told, with reports that came before it was read', () => {
    const pods = podEntries('ns');
    expect(pods.note(ackOf('ns/a', 'p1', { mode: 'noop', observed: true }), 't1')).toBe(false);
    expect(pods.note(ackOf('ns/b', 'p1'), 't1')).toBe(false);
    const told = {
      podName: 'a',
      podUID: 'ns/a',
      podRuntimeID: 'c',
      mode: 'runtime',
      checksum: 'sum',
      appliedPlanID: 'p1',
      runningPlanID: 'p1',
    };
    pods.seed([told, { nonsense: true }, 'nonsense']);
    expect(pods.list(noChecksum)).toMatchObject([told, { podName: 'b', deployedAt: 't1' }]);
    pods.seed([]);
    expect(pods.list(noChecksum)).toHaveLength(2);
  });

  it('lets go of pods that are gone, not of those that cannot be reached', () => {
    const { pods } = entriesAfter(
      ackOf('ns/a', 'p1'),
      ackOf('ns/b', 'p1'),
      ackOf('ns/c', 'p1'),
      ackOf('other/d', 'p1'),
    );
    pods.keep({
      pods: [podOf('ns/a', { uid: 'another' }), podOf('other/d')],
      rejected: [{ key: 'ns/b', reason: 'agent_not_running' }],
    });
    expect(pods.list(noChecksum).map(({ podName }) => podName)).toStrictEqual(['b', 'other/d']);
  });

  it('knows the checksum of what was published, and never that of something else', () => {
    const { pods } = entriesAfter(ackOf('ns/a', 'p1'));
    expect(pods.list((planId) => `sum of ${planId}`)).toMatchObject([{ checksum: 'sum of p1' }]);
    const seeded = podEntries('ns');
    seeded.seed([{ podName: 'a', podUID: 'ns/a', checksum: 'old', appliedPlanID: 'p0' }]);
    seeded.note(ackOf('ns/a', 'p1'), 't');
    expect(seeded.list(noChecksum)[0]).not.toHaveProperty('checksum');
  });
});
