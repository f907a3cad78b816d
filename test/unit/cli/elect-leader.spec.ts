import { Registry } from 'prom-client';
import pino from 'pino';
import { ReplaySubject, Subscription, firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { electLeader, type ElectLeaderDeps } from '../../../src/cli/controller/elect-leader.ts';
import { applyCrds } from '../../../src/kube/apply-crds.ts';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';
import { kubeTransport } from '../../../src/kube/kube-transport.ts';
import { openStream } from '../../../src/kube/open-stream.ts';
import { leaseIntent } from '../../../src/kube/lease-intent.ts';
import { ownLease } from '../../../src/kube/own-lease.ts';
import { leaseRecord } from '../../../src/kube/lease-record.ts';
import { kubeClient } from '../../../src/kube/kube-client.ts';
import type { Leadership } from '../../../src/protocol/leadership.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const election = {
  enabled: true,
  leaseName: 'lead',
  leaseDuration: '15s',
  renewDeadline: '10s',
  retryPeriod: '200ms',
};
const leases = { apiVersion: 'coordination.k8s.io/v1', resources: 'leases', namespace: 'default' };

async function cluster() {
  const api = await createApiServer();
  cleanups.push(() => api.close());
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-elect-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, api.kubeconfig());
  const transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
  cleanups.push(() => transport.close());
  const client = kubeClient(transport);
  const lines: { readonly msg: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) });

  const replica = (identity: string, more: Partial<ElectLeaderDeps> = {}) => {
    const election$ = new ReplaySubject<typeof election>(1);
    const leader = electLeader({
      election: { namespace: 'default', identity },
      election$,
      transport,
      ownLease: ownLease(transport, { namespace: 'default', configuration: 'web', isObject: false }),
      watch: { open: openStream(transport), random: Math.random },
      podEpoch: () => 0,
      metrics: createMetrics(new Registry()),
      log,
      now: () => performance.now(),
      onFatal: (error) => {
        throw error;
      },
      ...more,
    });
    const seen: Leadership[] = [];
    const running = new Subscription();
    running.add(leader.start());
    running.add(leader.leadership$.subscribe((leadership) => seen.push(leadership)));
    cleanups.push(() => {
      running.unsubscribe();
      return Promise.resolve();
    });
    return { leader, election$, seen, running };
  };
  const record = async () => {
    const lease = await client.get(leases, 'lead');
    return lease.ok ? leaseRecord(lease.value) : undefined;
  };
  return { transport, client, lines, replica, record };
}

describe('who leads', () => {
  it('is nobody before a configuration says how, and nothing is written', async () => {
    const { replica, record } = await cluster();
    const { leader, seen } = replica('a');
    await leader.resign(() => true);
    expect(seen).toEqual([{ kind: 'standby' }]);
    expect(leader.epoch.isHeld()).toBe(false);
    expect(await leader.transport.request({ path: '/version' })).toEqual({
      ok: false,
      failure: { kind: 'not_leader' },
    });
    expect(await record()).toBeUndefined();
  });

  it('is this process at any time without an election, with an epoch above what a pod has seen', async () => {
    const { replica, record } = await cluster();
    const { leader, election$, seen } = replica('a');
    election$.next({ ...election, enabled: false });
    expect(seen).toEqual([{ kind: 'standby' }, { kind: 'leading', epoch: 0 }]);
    expect([leader.epoch.isHeld(), leader.epoch.current()]).toEqual([true, 0]);
    expect(await firstValueFrom(leader.epoch.reclaim(7))).toBe('reclaimed');
    expect(leader.epoch.current()).toBe(8);
    expect(await leader.transport.request({ path: '/version' })).toMatchObject({ ok: true });
    await leader.resign(() => true);
    expect([leader.epoch.isHeld(), seen.at(-1)?.kind]).toEqual([false, 'standby']);
    expect(await record()).toBeUndefined();
  });

  it('is one of two, and the other one when the first has let go of what it was at', async () => {
    const { replica, record } = await cluster();
    const a = replica('a');
    a.election$.next(election);
    await expect.poll(() => a.leader.epoch.isHeld()).toBe(true);
    const b = replica('b');
    b.election$.next(election);
    await expect.poll(() => b.seen.at(-1)).toEqual({ kind: 'standby', leader: 'a' });
    let isIdle = false;
    const resigned = a.leader.resign(() => isIdle);
    expect([a.leader.epoch.isHeld(), a.seen.at(-1)?.kind]).toEqual([false, 'standby']);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await record())?.holder).toBe('a');
    isIdle = true;
    await resigned;
    await expect.poll(() => b.leader.epoch.isHeld()).toBe(true);
    expect([a.leader.epoch.current(), b.leader.epoch.current()]).toEqual([1, 2]);
    expect(await record()).toMatchObject({ holder: 'b', epoch: { value: 2 } });
  });

  it('claims above what a pod has seen while it holds the Lease, and is told of it', async () => {
    const { replica, record } = await cluster();
    const { leader, election$, seen } = replica('a');
    election$.next(election);
    await expect.poll(() => leader.epoch.isHeld()).toBe(true);
    expect(await firstValueFrom(leader.epoch.reclaim(41))).toBe('reclaimed');
    expect(leader.epoch.current()).toBe(42);
    expect(seen.at(-1)).toEqual({ kind: 'leading', epoch: 42 });
    expect((await record())?.epoch).toEqual({ kind: 'number', value: 42 });
    expect(await firstValueFrom(leader.epoch.reclaim(41))).toBe('reclaimed');
    expect(await firstValueFrom(leader.epoch.reclaim(Number.MAX_SAFE_INTEGER))).toBe('foreign');
  });

  it('stays as it is when the configuration wants another election, which is said', async () => {
    const { replica, lines } = await cluster();
    const { leader, election$, seen } = replica('a');
    election$.next(election);
    await expect.poll(() => leader.epoch.isHeld()).toBe(true);
    election$.next({ ...election, leaseName: 'other' });
    election$.next({ ...election, leaseName: 'other', leaseDuration: '1m' });
    expect(
      lines.filter(({ msg }) => msg.includes('takes effect when this process starts anew')),
    ).toHaveLength(1);
    expect(seen.at(-1)).toEqual({ kind: 'leading', epoch: 1 });
    expect(leader.vars()).toMatchObject({ election: { namespace: 'default', name: 'lead' }, identity: 'a' });
  });

  it('is asked for by the name of the flag before that of the configuration', async () => {
    const { replica, record } = await cluster();
    const { leader, election$ } = replica('a', {
      election: { namespace: 'default', identity: 'a', leaseName: 'lead' },
    });
    election$.next({ ...election, leaseName: 'other' });
    await expect.poll(() => leader.epoch.isHeld()).toBe(true);
    expect((await record())?.holder).toBe('a');
  });

  it('writes down what goes out with its renewals; without an election, on a Lease of the configuration', async () => {
    const intent = { planId: '0123456789abcdef', checksum: `sha256:${'0'.repeat(64)}` };
    const { replica, client } = await cluster();
    const one = replica('a');
    one.election$.next(election);
    await expect.poll(() => one.leader.epoch.isHeld()).toBe(true);
    one.leader.intent.want(intent);
    const standing = async (name: string) => {
      const lease = await client.get(leases, name);
      return lease.ok ? leaseIntent(lease.value) : undefined;
    };
    await expect.poll(() => standing('lead')).toEqual(intent);
    expect(await firstValueFrom(one.leader.intent.read())).toEqual(intent);

    const alone = replica('b');
    alone.election$.next({ ...election, enabled: false });
    expect(await firstValueFrom(alone.leader.intent.read())).toBeUndefined();
    alone.leader.intent.want(intent);
    await expect.poll(() => standing('web-retained')).toEqual(intent);
    expect(await firstValueFrom(alone.leader.intent.read())).toEqual(intent);
    const lease = await client.get(leases, 'web-retained');
    if (!lease.ok) throw new Error('it is gone');
    const { resourceVersion } = lease.value.metadata;
    await client.replace(leases, {
      ...lease.value,
      metadata: { ...lease.value.metadata, annotations: { by: 'hand' } },
    });
    const newer = { ...intent, planId: 'fedcba9876543210' };
    alone.leader.intent.want(newer);
    await expect.poll(() => standing('web-retained'), { timeout: 5_000 }).toEqual(newer);
    const after = await client.get(leases, 'web-retained');
    expect(after.ok && after.value.metadata).toMatchObject({ annotations: { by: 'hand' } });
    expect(after.ok && after.value.metadata.resourceVersion).not.toBe(resourceVersion);
  });

  it('makes a Lease that goes with its configuration, where both are in one namespace', async () => {
    const { replica, client, transport } = await cluster();
    await applyCrds(transport);
    const configs = {
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      resources: 'haproxytemplateconfigs',
      namespace: 'default',
    };
    const made = await client.create(configs, {
      apiVersion: configs.apiVersion,
      kind: 'HAProxyTemplateConfig',
      metadata: { name: 'web' },
      spec: { podSelector: { matchLabels: { app: 'haproxy' } }, haproxyConfig: { template: 'global\n' } },
    });
    if (!made.ok) throw new Error(JSON.stringify(made.failure));
    const ownersOf = async (name: string, namespace: string) => {
      const place = { namespace, configuration: 'web', isObject: true };
      const { leader, election$, running } = replica('a', { ownLease: ownLease(transport, place) });
      election$.next({ ...election, leaseName: name });
      await expect.poll(() => leader.epoch.isHeld()).toBe(true);
      running.unsubscribe();
      const lease = await client.get(leases, name);
      return lease.ok ? lease.value.metadata : undefined;
    };
    expect(await ownersOf('near', 'default')).toMatchObject({
      ownerReferences: [{ kind: 'HAProxyTemplateConfig', name: 'web', uid: made.value.metadata.uid }],
    });
    expect(await ownersOf('far', 'elsewhere')).not.toHaveProperty('ownerReferences');
  });
});
