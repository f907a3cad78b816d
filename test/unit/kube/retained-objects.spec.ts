import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCrds } from '../../../src/kube/apply-crds.ts';
import { kubeClient, type KubeClient } from '../../../src/kube/kube-client.ts';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';
import { kubeTransport, type KubeTransport } from '../../../src/kube/kube-transport.ts';
import { publishedObjects } from '../../../src/kube/published-objects.ts';
import { type Checkpoint, retainedName } from '../../../src/kube/retained-object.ts';
import { retainedObjects, type RetainedObjects } from '../../../src/kube/retained-objects.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';

const identity = { namespace: 'default', name: 'web', isObject: true };
const configs = {
  apiVersion: 'haproxy-haptic.org/v1alpha1',
  resources: 'haproxytemplateconfigs',
  namespace: 'default',
};
const cfgs = { ...configs, resources: 'haproxycfgs' };
const secrets = { apiVersion: 'v1', resources: 'secrets', namespace: 'default' };
const sum = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const part = (text: string) => ({ bytes: Buffer.from(text), checksum: sum(Buffer.from(text)) });
const checkpoint: Checkpoint = {
  planId: '0123456789abcdef',
  checksum: sum(Buffer.from('cfg')),
  path: '/etc/haproxy/haproxy.cfg',
  shown: { text: 'global\n', compressed: false },
  parts: [part('first'), part('second')],
  matchLabels: { app: 'haproxy' },
  port: 5555,
  deliveredTo: [{ podName: 'p', podUID: 'u', podRuntimeID: 'c', mode: 'reload' }],
};
const { signal } = new AbortController();

describe('retained renders in the cluster', () => {
  let api: ApiServer;
  let folder = '';
  let transport: KubeTransport;
  let client: KubeClient;
  let objects: RetainedObjects;
  beforeAll(async () => {
    api = await createApiServer();
    folder = await mkdtemp(path.join(tmpdir(), 'haptic-retained-'));
    const kubeconfigPath = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfigPath, api.kubeconfig());
    transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
    client = kubeClient(transport);
    await applyCrds(transport);
    await client.create(configs, {
      apiVersion: configs.apiVersion,
      kind: 'HAProxyTemplateConfig',
      metadata: { name: 'web' },
      spec: { podSelector: { matchLabels: { app: 'haproxy' } }, haproxyConfig: { template: 'global\n' } },
    });
    objects = retainedObjects(transport, identity);
  });
  afterAll(async () => {
    await transport.close();
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are written, read back as they were, and no part of what is published', async () => {
    const config = await objects.write(checkpoint, signal);
    expect(config).toMatchObject({ planID: checkpoint.planId, checksum: checkpoint.checksum });
    expect(config.name).toBe(retainedName('web', checkpoint));
    expect(config.name).toMatch(/^web-retained-[0-9a-f]{20}$/);
    const { spec, bytes } = await objects.read(config, signal);
    expect(bytes.toString()).toBe('firstsecond');
    expect(spec).toMatchObject({ port: 5555, matchLabels: { app: 'haproxy' } });
    expect(spec.deliveredTo).toEqual(checkpoint.deliveredTo);
    const stock = await objects.stock('web-haproxycfg', true, signal);
    expect(stock).toEqual({
      isPublished: false,
      promoted: [],
      podPlans: [],
      found: [{ ...config, parts: 2 }],
      parts: [`${config.name}-0`, `${config.name}-1`],
    });
    expect(await objects.write(checkpoint, signal)).toEqual(config);

    const published = publishedObjects(transport, identity);
    const names = { main: 'web-haproxycfg', twin: 'web-haproxycfg-invalid' };
    expect(await published.stock(names, () => false, signal)).toMatchObject({
      ok: true,
      value: { objects: [] },
    });
  });

  it('are refused where a part was changed or is gone, or the HAProxyCfg is another one', async () => {
    const config = await objects.write(checkpoint, signal);
    const name = `${config.name}-1`;
    const part = Buffer.from('other').toString('base64');
    await client.patch(secrets, name, 'merge', { data: { part } });
    await expect(objects.read(config, signal)).rejects.toThrow(`Secret ${name} does not hold`);
    await client.delete(secrets, name);
    await expect(objects.read(config, signal)).rejects.toThrow(`read Secret ${name}: 404`);
    await expect(objects.read({ ...config, uid: 'x' }, signal)).rejects.toThrow('not the one');
    await expect(objects.read({ ...config, planID: 'x' }, signal)).rejects.toThrow('not the one');
    expect((await objects.read(await objects.write(checkpoint, signal), signal)).bytes.toString()).toBe(
      'firstsecond',
    );
  });

  it('have no parts that count where somebody has edited how many there are', async () => {
    const config = await objects.write(checkpoint, signal);
    for (const text of ['1e9', '-1', '', '1000']) {
      const annotations = { 'haproxy-haptic.org/parts': text };
      await client.patch(cfgs, config.name, 'merge', { metadata: { annotations } });
      const { found } = await objects.stock('web-haproxycfg', false, signal);
      expect(found).toEqual([{ ...config, parts: 0 }]);
    }
    await objects.write(checkpoint, signal);
  });

  it('are found by the status that names them, which is read again when it changed', async () => {
    expect(await objects.promoted('web-haproxycfg', signal)).toEqual([]);
    const config = await objects.write(checkpoint, signal);
    await client.create(cfgs, {
      apiVersion: cfgs.apiVersion,
      kind: 'HAProxyCfg',
      metadata: { name: 'web-haproxycfg' },
      spec: { path: '/h', content: 'x', checksum: checkpoint.checksum },
    });
    expect(await objects.promoted('web-haproxycfg', signal)).toEqual([]);
    const status = { retainedConfigs: [config] };
    await client.patch(cfgs, 'web-haproxycfg', 'merge', { status }, { subresource: 'status' });
    expect(await objects.promoted('web-haproxycfg', signal)).toEqual([config]);
    expect((await objects.stock('web-haproxycfg', true, signal)).promoted).toEqual([config]);
    const short = await objects.stock('web-haproxycfg', false, signal);
    expect(short).toMatchObject({ isPublished: true, found: [config] });
    expect(short).not.toHaveProperty('promoted');
  });

  it('are removed with all their parts, and only those very ones', async () => {
    const config = await objects.write(checkpoint, signal);
    await expect(objects.remove({ configs: [{ ...config, uid: 'x' }], parts: [] }, signal)).rejects.toThrow(
      '409',
    );
    const parts = [`${config.name}-0`, `${config.name}-1`, 'gone-0'];
    await objects.remove({ configs: [config], parts }, signal);
    expect(await objects.stock('web-haproxycfg', false, signal)).toMatchObject({ found: [], parts: [] });
  });

  it('have names that fit, however long that of the configuration is', () => {
    const long = `${'a'.repeat(250)}.b`;
    const name = retainedName(long, checkpoint);
    expect(`${name}-31`.length).toBeLessThanOrEqual(253);
    expect(name).not.toBe(retainedName(`${long}c`, checkpoint));
    expect(retainedName('web', { ...checkpoint, planId: 'x' })).not.toBe(retainedName('web', checkpoint));
  });
});
