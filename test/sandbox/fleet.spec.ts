import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { haproxyLabels } from '../../src/sandbox/system-objects.ts';
import { startSandboxTraffic, type SandboxTraffic } from '../fixtures/sandbox-traffic.ts';
import type { DeliveryReport } from '../../src/protocol/delivery-report.ts';
import type { Fleet } from '../../src/protocol/fleet.ts';
import type { DeploymentProgress } from '../../src/sinks/track-deployments.ts';

const haproxy = newestHaproxyLine();

describe.skipIf(haproxy === undefined)('the fleet', () => {
  let traffic: SandboxTraffic;
  beforeAll(async () => {
    traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '', driftPreventionInterval: '1s' });
    await traffic.settled();
  });
  afterAll(async () => traffic.stop());
  const fleet = async () => (await traffic.tap<Fleet>('pods')) ?? { pods: [], rejected: [] };
  const said = async (msg: string) => (await traffic.log()).filter((line) => line['msg'] === msg);

  test('is all pods whose agents answer, and runs the render that is out', async () => {
    await eventually('every pod runs it', async () => {
      const progress = await traffic.tap<DeploymentProgress>('deployments');
      return progress?.pods === 1 && progress.converged === 1 ? true : undefined;
    });
    const { pods, rejected } = await fleet();
    expect(pods).toMatchObject([{ containerId: expect.stringMatching(/./) as string }]);
    expect(pods[0]?.haproxyContainerId).toMatch(/./);
    expect(rejected).toEqual([]);
    expect(await said('pod joined the fleet')).toHaveLength(1);
  });

  test('is without a pod that cannot be delivered to, and says why, once', async () => {
    const [member] = (await fleet()).pods;
    const [namespace = ''] = member?.key.split('/') ?? [];
    await traffic.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: 'stranger', labels: haproxyLabels },
      spec: { containers: [{ name: 'haproxy', image: 'haproxy' }] },
    });
    // It gets an address and runs, as any pod of this cluster; it is only none of ours.
    const rejected = await eventually('it is rejected for good', async () => {
      const now = (await fleet()).rejected;
      return now[0]?.reason === 'agent_missing' ? now : undefined;
    });
    expect(rejected).toEqual([{ key: `${namespace}/stranger`, reason: 'agent_missing' }]);
    expect((await fleet()).pods).toHaveLength(1);
    await traffic.remove('v1/pods', 'stranger', namespace);
    await eventually('it is gone', async () => ((await fleet()).rejected.length === 0 ? true : undefined));
    const reasons = (await said('pod cannot be delivered to')).map(
      ({ pod, reason }) => `${String(pod)} ${String(reason)}`,
    );
    expect(reasons.at(-1)).toBe(`${namespace}/stranger agent_missing`);
    expect(new Set(reasons).size).toBe(reasons.length);
  });

  test('is passed over for drift, without an apply or a reload for a pod that is as it should be', async () => {
    const { revision } = await traffic.settled();
    const reloads = await traffic.reloads();
    const passes: unknown[] = [];
    await eventually('it was looked at again', async () => {
      const last = await traffic.tap<DeliveryReport>('deliveries');
      if (last?.kind === 'acked' && last.cause === 'drift') passes.push(last);
      return passes.length > 2 ? true : undefined;
    });
    for (const pass of passes) expect(pass).toMatchObject({ mode: 'noop', converged: true, drifted: [] });
    expect((await traffic.settled()).revision).toBe(revision);
    expect(await traffic.reloads()).toBe(reloads);
  });
});
