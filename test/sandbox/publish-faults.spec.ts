import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Controller } from '../../src/cli/controller/controller-deps.ts';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import {
  createPublishScene,
  patience,
  type PublishScene,
  statusOf,
  textOf,
} from '../fixtures/publish-scene.ts';

const main = 'web-haproxycfg';

describe('publishing, when the API is in trouble', () => {
  let api: ApiServer;
  let scene: PublishScene;
  let controller: Controller;
  let reports: { readonly kind: string; readonly object: string; readonly reason?: string }[];

  beforeEach(async () => {
    api = await createApiServer();
    scene = await createPublishScene(api.kubeconfig());
    reports = [];
  });
  afterEach(async () => {
    api.faults.clear();
    await scene.close();
    await api.close();
  });

  const start = async (): Promise<void> => {
    await scene.addPod('haproxy-0');
    await scene.put('one', 'first');
    controller = scene.start();
    controller.debug.taps
      .watch('published')
      ?.subscribe((report) => reports.push(report as (typeof reports)[number]));
  };
  const begin = async (): Promise<void> => {
    await scene.installCrds();
    await scene.makeNamespace();
    await scene.applyConfig();
    await start();
  };
  const shown = (text: string) =>
    expect.poll(async () => textOf(await scene.read('config', main)), patience).toContain(text);
  const failing = (count: number) =>
    expect
      .poll(() => controller.registry.metrics(), patience)
      .toMatch(new RegExp(`^haptic_publishing_failing ${count}$`, 'm'));
  const publishedCondition = async () =>
    statusOf(await scene.read('config', main)).conditions?.find(({ type }) => type === 'Published');

  it('goes on with all others when the API forbids one kind, says so in the condition, and makes up for it', async () => {
    const takeBack = api.faults.inject({
      match: { method: 'PATCH', resource: 'haproxymapfiles' },
      action: { kind: 'status', code: 403 },
    });
    await begin();
    await shown('description first');
    await expect.poll(async () => (await scene.all('crtList')).length, patience).toBe(1);
    expect(await scene.all('map')).toStrictEqual([]);
    await failing(1);
    await expect.poll(publishedCondition, patience).toMatchObject({
      status: 'False',
      reason: 'Forbidden',
      message: expect.stringContaining('HAProxyMapFile') as string,
    });
    await scene.put('one', 'second');
    await shown('description second');
    takeBack();
    await expect.poll(async () => (await scene.all('map')).length, patience).toBe(1);
    await failing(0);
    await expect.poll(publishedCondition, patience).toMatchObject({ status: 'True' });
  });

  it('survives conflicts on every write, with growing pauses', async () => {
    const takeBack = api.faults.inject({
      match: { method: 'PATCH', resource: 'haproxycfgs' },
      action: { kind: 'status', code: 409 },
    });
    await begin();
    await expect
      .poll(() => reports.filter(({ reason }) => reason === 'Conflict').length, patience)
      .toBeGreaterThan(1);
    await pause(2_000);
    // After 0, 1, 3 and 7 seconds, however fast the machine is.
    expect(reports.filter(({ reason }) => reason === 'Conflict').length).toBeLessThan(6);
    takeBack();
    await shown('description first');
    await failing(0);
  });

  it('has the newest state published after an API that was gone, with nothing lost and nothing left over', async () => {
    await begin();
    await shown('description first');
    await api.faults.stopListening();
    await pause(3_000);
    await api.faults.resumeListening();
    await scene.put('one', 'second');
    await scene.applyConfig({ files: undefined });
    await shown('description second');
    await expect.poll(async () => (await scene.all('general')).length, patience).toBe(0);
    await failing(0);
  });

  it('waits for the CRDs, says that they are missing, and delivers meanwhile', async () => {
    await begin();
    await shown('description first');
    await scene.stop(controller);
    const crds = { apiVersion: 'apiextensions.k8s.io/v1', resources: 'customresourcedefinitions' };
    await scene.value(scene.client.delete(crds, 'haproxymapfiles.haproxy-haptic.org'));
    controller = scene.start();
    reports = [];
    controller.debug.taps
      .watch('published')
      ?.subscribe((report) => reports.push(report as (typeof reports)[number]));
    await expect.poll(() => reports.at(-1), patience).toMatchObject({ kind: 'off', reason: 'NotServed' });
    await scene.put('one', 'second');
    const metrics = () => controller.registry.metrics();
    await expect.poll(metrics, patience).toMatch(/^haptic_haproxy_fleet_converged 1$/m);
    expect(textOf(await scene.read('config', main))).toContain('description first');
    await scene.installCrds();
    await shown('description second');
    await expect.poll(async () => (await scene.all('map')).length, patience).toBe(1);
    await failing(0);
  });

  it('publishes nothing for a configuration that is gone, and all for one that has come back', async () => {
    await begin();
    await shown('description first');
    const before = (await scene.read('config', main))?.metadata.uid;
    await scene.deleteConfig();
    await expect.poll(async () => (await scene.all('map')).length, patience).toBe(0);
    await scene.put('one', 'second');
    await expect
      .poll(() => reports.some(({ reason }) => reason === 'ConfigurationMissing'), patience)
      .toBe(true);
    expect(await scene.all('config')).toStrictEqual([]);
    await scene.applyConfig();
    await shown('description second');
    expect((await scene.read('config', main))?.metadata.uid).not.toBe(before);
    await expect.poll(async () => (await scene.all('map')).length, patience).toBe(1);
  });
});
