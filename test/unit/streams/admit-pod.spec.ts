import { describe, expect, it } from 'vitest';
import { admitPod } from '../../../src/streams/admit-pod.ts';

const running = { name: 'agent', containerID: 'containerd://1', state: { running: { startedAt: 'now' } } };
const haproxy = { name: 'haproxy', containerID: 'containerd://2', state: { running: {} } };

function pod(status: unknown, metadata: object = {}) {
  return { metadata: { name: 'p', namespace: 'ns', uid: 'u', ...metadata }, status };
}
const rejected = (reason: string) => ({ kind: 'rejected', reason });

describe('admitPod', () => {
  const member = { key: 'ns/p', uid: 'u', address: '10.0.0.1', port: 5555, containerId: 'containerd://1' };

  it('admits a pod whose agent runs, as a container or as a native sidecar', () => {
    for (const status of [
      { podIP: '10.0.0.1', containerStatuses: [haproxy, running] },
      { podIP: '10.0.0.1', containerStatuses: [haproxy], initContainerStatuses: [running] },
    ])
      expect(admitPod(pod(status), 5555)).toEqual({
        kind: 'admitted',
        pod: { ...member, haproxyContainerId: 'containerd://2' },
      });
  });

  it('admits it while HAProxy does not run, or runs elsewhere: the agent tells', () => {
    const stopped = { ...haproxy, state: { terminated: { exitCode: 1 } } };
    for (const others of [[], [stopped]])
      expect(admitPod(pod({ podIP: '10.0.0.1', containerStatuses: [...others, running] }), 5555)).toEqual({
        kind: 'admitted',
        pod: member,
      });
  });

  it.each([
    ['no_address', { containerStatuses: [running] }],
    ['no_address', { podIP: '', containerStatuses: [running] }],
    ['agent_missing', { podIP: '10.0.0.1' }],
    ['agent_missing', { podIP: '10.0.0.1', containerStatuses: [haproxy] }],
    ['agent_not_running', { podIP: '10.0.0.1', containerStatuses: [{ ...running, state: { waiting: {} } }] }],
    [
      'agent_not_running',
      { podIP: '10.0.0.1', initContainerStatuses: [{ ...running, state: { terminated: {} } }] },
    ],
  ])('rejects as %s a pod with the status %j', (reason, status) => {
    expect(admitPod(pod(status), 5555)).toEqual(rejected(reason));
  });

  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  it('tells that a pod ends while it still serves', () => {
    const status = { podIP: '10.0.0.1', containerStatuses: [haproxy, running] };
    const expected = { ...member, haproxyContainerId: 'containerd://2' };
    expect(admitPod(pod(status, leaving), 5555)).toEqual({ kind: 'leaving', pod: expected });
    const inOne = { podIP: '10.0.0.1', containerStatuses: [running] };
    expect(admitPod(pod(inOne, leaving), 5555)).toEqual({ kind: 'leaving', pod: member });
  });

  it.each([
    [{ podIP: '10.0.0.1', containerStatuses: [{ ...haproxy, state: { terminated: {} } }, running] }],
    [{ podIP: '10.0.0.1', containerStatuses: [haproxy, { ...running, state: { terminated: {} } }] }],
    [{ podIP: '10.0.0.1', containerStatuses: [haproxy] }],
    [{ containerStatuses: [haproxy, running] }],
    [{ phase: 'Failed', podIP: '10.0.0.1', containerStatuses: [haproxy, running] }],
    [undefined],
  ])('has nothing to say of one that ends and serves no more: %j', (status) => {
    expect(admitPod(pod(status, leaving), 5555)).toEqual({ kind: 'gone' });
  });

  it.each(['Succeeded', 'Failed'])('has nothing to say of a pod that is over: %s', (phase) => {
    const terminated = { ...running, state: { terminated: { exitCode: 137 } } };
    const status = { phase, reason: 'Evicted', podIP: '10.0.0.1', containerStatuses: [terminated] };
    expect(admitPod(pod(status), 5555)).toEqual({ kind: 'gone' });
  });

  it('takes odd shapes for pods that cannot be delivered to', () => {
    for (const status of [
      undefined,
      null,
      3,
      { podIP: 5, containerStatuses: 'x' },
      { podIP: 'a', containerStatuses: [null, 3] },
    ])
      expect(admitPod(pod(status), 5555).kind).toBe('rejected');
  });

  it('makes do without a container id', () => {
    const containerStatuses = [{ name: 'agent', state: { running: {} } }];
    expect(admitPod(pod({ podIP: '10.0.0.1', containerStatuses }), 5555)).toEqual({
      kind: 'admitted',
      pod: { ...member, containerId: '' },
    });
  });
});
