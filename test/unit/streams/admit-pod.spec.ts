import { describe, expect, it } from 'vitest';
import { admitPod } from '../../../src/streams/admit-pod.ts';

const running = { name: 'agent', containerID: 'containerd://1', state: { running: { startedAt: 'now' } } };

function pod(status: unknown, metadata: object = {}) {
  return { metadata: { name: 'p', namespace: 'ns', uid: 'u', ...metadata }, status };
}

describe('admitPod', () => {
  const admitted = { key: 'ns/p', uid: 'u', address: '10.0.0.1', port: 5555, containerId: 'containerd://1' };

  it('admits a pod whose agent runs, as a container or as a native sidecar', () => {
    const other = { name: 'haproxy', state: { running: {} } };
    for (const status of [
      { podIP: '10.0.0.1', containerStatuses: [other, running] },
      { podIP: '10.0.0.1', containerStatuses: [other], initContainerStatuses: [running] },
    ])
      expect(admitPod(pod(status), 5555)).toEqual(admitted);
  });

  it('does not admit a pod without address, without a running agent, or on its way out', () => {
    const containerStatuses = [running];
    for (const status of [
      { containerStatuses },
      { podIP: '', containerStatuses },
      { podIP: '10.0.0.1' },
      { podIP: '10.0.0.1', containerStatuses: [] },
      { podIP: '10.0.0.1', containerStatuses: [{ ...running, name: 'haproxy' }] },
      { podIP: '10.0.0.1', containerStatuses: [{ ...running, state: { waiting: {} } }] },
      { podIP: '10.0.0.1', initContainerStatuses: [{ ...running, state: { terminated: {} } }] },
    ])
      expect(admitPod(pod(status), 5555)).toBeUndefined();
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(admitPod(pod({ podIP: '10.0.0.1', containerStatuses }, leaving), 5555)).toBeUndefined();
  });

  it('takes odd shapes for pods that cannot be delivered to', () => {
    for (const status of [
      undefined,
      null,
      3,
      { podIP: 5, containerStatuses: 'x' },
      { podIP: 'a', containerStatuses: [null, 3] },
    ])
      expect(admitPod(pod(status), 5555)).toBeUndefined();
  });

  it('makes do without a container id', () => {
    const containerStatuses = [{ name: 'agent', state: { running: {} } }];
    expect(admitPod(pod({ podIP: '10.0.0.1', containerStatuses }), 5555)).toEqual({
      ...admitted,
      containerId: '',
    });
  });
});
