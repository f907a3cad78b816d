import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { controllerParts } from '../../src/cli/controller/controller-parts.ts';
import type { Controller } from '../../src/cli/controller/controller-deps.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Verdict } from '../../src/gate/verdict.ts';
import { kubeClient, type KubeClient } from '../../src/kube/kube-client.ts';
import { loadKubeConfig } from '../../src/kube/kube-config.ts';
import { kubeTransport, type KubeTransport } from '../../src/kube/kube-transport.ts';
import { valuesOf } from '../../src/lib/ordered-map.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { acceptingAgent } from '../bench/lib/accepting-agent.ts';

const maps = { apiVersion: 'v1', resources: 'configmaps', namespace: 'default' };
const services = { apiVersion: 'v1', resources: 'services', namespace: 'default' };
const configuration = `
haproxyConfig:
  template: |
    {{#forEach resources.services as |s|}}
    # {{annotation s "words"}}
    {{/forEach}}
watchedResources:
  services: {apiVersion: v1, resources: services, labelSelector: 'app=own', debounceInterval: '0'}
k8sResources:
  pages:
    createOnlyFields: [data.token]
    template: |
      {{#forEach resources.services as |s|}}
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: page-{{s.metadata.name}}
      data:
        words: {{json (annotation s "words")}}
        token: {{json (annotation s "words")}}
      {{/forEach}}
`;

describe('own objects of a controller', () => {
  let api: ApiServer;
  let folder = '';
  let transport: KubeTransport;
  let client: KubeClient;
  const running = new Set<Controller>();

  beforeEach(async () => {
    api = await createApiServer();
    folder = await mkdtemp(path.join(tmpdir(), 'haptic-own-'));
    const kubeconfigPath = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfigPath, api.kubeconfig(), { mode: 0o600 });
    transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
    client = kubeClient(transport);
  });
  afterEach(async () => {
    for (const controller of running) await controller.stop();
    running.clear();
    await transport.close();
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** HAProxy refuses what has `bad` in it, and names nobody. */
  const check = (plan: Plan) => {
    const text = Buffer.concat([...contentsOf(plan)]).toString();
    const verdict: Verdict = text.includes('bad')
      ? {
          kind: 'refused',
          planId: plan.id,
          findings: [{ severity: 'alert', message: 'bad words' }],
          output: '',
        }
      : { kind: 'accepted', planId: plan.id, warnings: [] };
    return of(verdict);
  };

  function start(): Controller {
    const controller = startController({
      config: loadConfig([{ name: 'own.yaml', text: configuration }]),
      transport,
      client: acceptingAgent(),
      check,
      capabilities: {},
      watchTimeoutSeconds: 290,
      parts: controllerParts,
      log: pino({ level: 'silent' }),
      onFatal: (error) => {
        throw error;
      },
    });
    running.add(controller);
    return controller;
  }
  const stop = async (controller: Controller): Promise<void> => {
    running.delete(controller);
    await controller.stop();
  };

  const put = async (name: string, words: string): Promise<void> => {
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default', labels: { app: 'own' }, annotations: { words } },
      spec: { ports: [{ port: 80 }] },
    };
    const result = await client.apply(services, object, { fieldManager: 'test', force: true });
    expect(result).toMatchObject({ ok: true });
  };
  const pages = async (): Promise<Readonly<Record<string, unknown>>> => {
    const found: Record<string, unknown> = {};
    for await (const page of client.list(maps, { labelSelector: 'haproxy-haptic.org/owned-by' }))
      if (page.ok) for (const object of page.value.items) found[object.metadata.name] = object['data'];
    return found;
  };
  const patience = { timeout: 20_000, interval: 50 };

  it('follow the objects that they are printed for, and outlive a restart of the controller', async () => {
    await put('one', 'first');
    const first = start();
    await expect.poll(pages, patience).toStrictEqual({ 'page-one': { words: 'first', token: 'first' } });
    await put('one', 'second');
    await put('two', 'other');
    await expect.poll(pages, patience).toStrictEqual({
      'page-one': { words: 'second', token: 'first' },
      'page-two': { words: 'other', token: 'other' },
    });
    await client.delete(services, 'two');
    await expect.poll(pages, patience).toStrictEqual({ 'page-one': { words: 'second', token: 'first' } });
    const { resourceVersion } = await metadataOf('page-one');
    await stop(first);
    await put('three', 'more');
    const second = start();
    await expect
      .poll(async () => Object.keys(await pages()), patience)
      .toStrictEqual(['page-one', 'page-three']);
    expect((await metadataOf('page-one')).resourceVersion).toBe(resourceVersion);
    await stop(second);
    await client.delete(services, 'one');
    start();
    await expect.poll(async () => Object.keys(await pages()), patience).toStrictEqual(['page-three']);
  });

  it('stay as they are while HAProxy refuses what their object says', async () => {
    await put('one', 'first');
    const controller = start();
    await expect.poll(pages, patience).toStrictEqual({ 'page-one': { words: 'first', token: 'first' } });
    await put('one', 'bad');
    await put('two', 'fine');
    await expect.poll(pages, patience).toStrictEqual({
      'page-one': { words: 'first', token: 'first' },
      'page-two': { words: 'fine', token: 'fine' },
    });
    // An object is there before all of its fields belong to those who are to have them.
    await expect
      .poll(() => controller.registry.metrics(), patience)
      .toContain('haptic_own_resources_total{result="applied"} 2');
    expect(await controller.registry.metrics()).toContain('haptic_own_resources_failing 0');
  });

  it('leave an object of the same name alone that others made', async () => {
    const theirs = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'page-one', namespace: 'default' },
      data: { a: 'theirs' },
    };
    expect(await client.create(maps, theirs)).toMatchObject({ ok: true });
    await put('one', 'first');
    const controller = start();
    const metrics = (): Promise<string> => controller.registry.metrics();
    await expect.poll(metrics, patience).toContain('haptic_own_resources_failing 1');
    expect(await client.get(maps, 'page-one')).toMatchObject({ value: { data: { a: 'theirs' } } });
  });

  async function metadataOf(name: string): Promise<KubeObject['metadata']> {
    const found = await client.get(maps, name);
    if (!found.ok) throw new Error(JSON.stringify(found.failure));
    return found.value.metadata;
  }
});

function* contentsOf(plan: Plan): Generator<Uint8Array> {
  for (const file of valuesOf(plan.files)) yield* file.content();
}
