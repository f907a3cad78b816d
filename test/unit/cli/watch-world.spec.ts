import pino from 'pino';
import { Registry, type Gauge } from 'prom-client';
import { NEVER } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tellWatch } from '../../../src/cli/controller/tell-watch.ts';
import { watchWorld } from '../../../src/cli/controller/watch-world.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createTaps } from '../../../src/operators/taps.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { type LiveWorld, buildLiveWorld } from '../../../src/world/open-world.ts';
import { createResourceHub } from '../../../src/world/resource-hub.ts';

const silent = pino({ level: 'silent' });

const configOf = (watchedResources: Readonly<Record<string, object>>) =>
  loadConfig([
    { name: 'test', text: JSON.stringify({ haproxyConfig: { template: 'global\n' }, watchedResources }) },
  ]);
const services = { apiVersion: 'v1', resources: 'services' };
const secrets = { apiVersion: 'v1', resources: 'secrets', store: 'on-demand' };

function scene() {
  const metrics = createMetrics(new Registry());
  const notice = tellWatch(silent, metrics);
  const worlds = watchWorld({
    watch: { open: () => NEVER, random: () => 0, notice },
    metrics,
    taps: createTaps(),
  });
  const hub = createResourceHub({ watch: worlds.watch, keep: 5, now: () => 1, constants: {} });
  const open = (watched: Readonly<Record<string, object>>): LiveWorld => {
    const config = configOf(watched);
    const resolved = { config, sourceOfTemplate: (name: string) => name };
    return buildLiveWorld({ constants: {} }, hub.hold(config), resolved);
  };
  /** What a watch of this name would say. */
  const degrade = (resource: string): void =>
    notice({ kind: 'degraded', resource, reason: 'forbidden', message: 'no' });
  return { metrics, worlds, open, degrade };
}

const typesOf = async (gauge: Gauge<'type'>): Promise<Readonly<Record<string, number>>> => {
  const { values } = await gauge.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.type), value] as const));
};

describe('watchWorld', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('tells nothing of a watch any more when that has ended', async () => {
    const { metrics, worlds, open, degrade } = scene();
    const following = worlds.changes(open({ services, secrets })).subscribe();
    degrade('services');
    degrade('secrets');
    metrics.onDemandObjects.set({ type: 'secrets' }, 3);
    following.unsubscribe();
    expect(await typesOf(metrics.watchDegraded)).toEqual({ services: 1, secrets: 1 });
    await vi.advanceTimersByTimeAsync(30_001);
    expect(await typesOf(metrics.watchDegraded)).toEqual({});
    expect(await typesOf(metrics.onDemandObjects)).toEqual({});
  });

  it('goes on telling of a name that another configuration watches otherwise', async () => {
    const { metrics, worlds, open, degrade } = scene();
    const former = worlds.changes(open({ services })).subscribe();
    const present = worlds.changes(open({ services: { ...services, labelSelector: 'a=b' } })).subscribe();
    degrade('services');
    former.unsubscribe();
    await vi.advanceTimersByTimeAsync(30_001);
    expect(await typesOf(metrics.watchDegraded)).toEqual({ services: 1 });
    present.unsubscribe();
    await vi.advanceTimersByTimeAsync(30_001);
    expect(await typesOf(metrics.watchDegraded)).toEqual({});
  });

  it('counts the objects of the configuration at work, and of no other', async () => {
    const { metrics, worlds, open } = scene();
    const [first, second] = [open({ services, secrets }), open({ services })];
    first.stores.get('services')?.set('a', { metadata: { name: 'a' } });
    first.graph.advance();
    worlds.count(first);
    expect(await typesOf(metrics.resources)).toEqual({ services: 1, secrets: 0 });
    worlds.changes(second).subscribe().unsubscribe();
    expect(await typesOf(metrics.resources)).toEqual({ services: 1, secrets: 0 });
    worlds.count(second);
    expect(await typesOf(metrics.resources)).toEqual({ services: 1 });
  });
});
