import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { applyObject, type ApplyObjectOptions } from '../../../src/kube/apply-object.ts';
import { createKindResolver } from '../../../src/kube/resolve-kind.ts';
import { bodyOf, json, type Handler } from '../../fixtures/scripted-server.ts';
import { scriptedTransport } from '../../fixtures/scripted-transport.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function transportTo(handler: Handler) {
  const scripted = await scriptedTransport(handler);
  cleanups.push(scripted.close);
  return scripted;
}

const discovery: Readonly<Record<string, readonly object[]>> = {
  '/api/v1': [
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'nodes/status', kind: 'Node', namespaced: false },
    { name: 'nodes', kind: 'Node', namespaced: false },
  ],
  '/apis/x.example/v1': [{ name: 'widgets', kind: 'Widget', namespaced: true }],
};

async function server() {
  const bodies: unknown[] = [];
  const to = await transportTo((request, response) => {
    const resources = discovery[request.url ?? ''];
    if (request.method === 'GET' && resources !== undefined) json(response, 200, { resources });
    else if (request.method === 'GET') json(response, 404, { kind: 'Status', reason: 'NotFound' });
    else
      void bodyOf(request).then((text) => {
        const body = JSON.parse(text) as object;
        bodies.push(body);
        json(response, 200, { ...body, status: {} });
      });
  });
  const apply = (object: KubeObject, options?: ApplyObjectOptions) =>
    applyObject(to.transport, object, 'haptic', options);
  return { ...to, bodies, apply };
}

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' }, data: {} };

describe('applyObject', () => {
  it('finds out what the server calls the kind, and applies', async () => {
    const { apply, requests, bodies } = await server();
    expect(await apply(configMap)).toStrictEqual({ ok: true, value: { ...configMap, status: {} } });
    expect(requests).toStrictEqual([
      'GET /api/v1',
      'PATCH /api/v1/namespaces/ns/configmaps/a?fieldManager=haptic',
    ]);
    expect(bodies).toStrictEqual([configMap]);
  });

  it('puts namespaced objects that name no namespace into the given one, and cluster-scoped ones into none', async () => {
    const { apply, requests, bodies } = await server();
    const widget = { apiVersion: 'x.example/v1', kind: 'Widget', metadata: { name: 'w' } };
    await apply(widget, { namespace: 'web', force: true, subresource: 'status' });
    await apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }, { namespace: 'web' });
    expect(requests.filter((line) => line.startsWith('PATCH'))).toStrictEqual([
      'PATCH /apis/x.example/v1/namespaces/web/widgets/w/status?fieldManager=haptic&force=true',
      'PATCH /api/v1/nodes/n?fieldManager=haptic',
    ]);
    expect(bodies).toStrictEqual([
      { ...widget, metadata: { name: 'w', namespace: 'web' } },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
    ]);
  });

  it.each([
    ['group', 'y.example/v1', 'Widget'],
    ['kind', 'x.example/v1', 'Gadget'],
    ['version', 'v2', 'ConfigMap'],
  ])('says so when the server does not know the %s', async (_what, apiVersion, kind) => {
    const { apply } = await server();
    expect(await apply({ apiVersion, kind, metadata: { name: 'w' } })).toStrictEqual({
      ok: false,
      failure: {
        kind: 'http',
        status: 404,
        reason: 'NotServed',
        message: `the server has no kind ${kind} in ${apiVersion}`,
      },
    });
  });

  it('sends nothing for an object without apiVersion or kind', async () => {
    const { apply, requests } = await server();
    expect(await apply({ kind: 'ConfigMap', metadata: { name: 'a' } })).toMatchObject({ ok: false });
    expect(await apply({ apiVersion: 'v1', metadata: { name: 'a' } })).toMatchObject({ ok: false });
    expect(requests).toStrictEqual([]);
  });

  it('returns the failures of the server as they are', async () => {
    const { transport } = await transportTo((request, response) => {
      if (request.method === 'GET') json(response, 200, { resources: discovery['/api/v1'] });
      else json(response, 409, { kind: 'Status', reason: 'Conflict', message: 'conflict with "kubectl"' });
    });
    expect(await applyObject(transport, configMap, 'haptic')).toMatchObject({
      ok: false,
      failure: { status: 409, reason: 'Conflict', message: 'conflict with "kubectl"' },
    });
  });

  it.each([
    ['is no JSON', 'nonsense', 'protocol'],
    ['lists nothing', '{}', 'http'],
  ])('is a failure where discovery %s', async (_what, body, kind) => {
    const { transport } = await transportTo((_request, response) => response.end(body));
    expect(await applyObject(transport, configMap, 'haptic')).toMatchObject({ ok: false, failure: { kind } });
  });
});

describe('createKindResolver', () => {
  it('remembers what it found, and asks again for what it did not find', async () => {
    let served = [{ name: 'widgets', kind: 'Widget', namespaced: true }];
    const { transport, requests } = await transportTo((_request, response) =>
      json(response, 200, { resources: served }),
    );
    const resolve = createKindResolver(transport);
    expect(await resolve('x.example/v1', 'Widget')).toStrictEqual({
      ok: true,
      value: { resources: 'widgets', namespaced: true },
    });
    await resolve('x.example/v1', 'Widget');
    expect(requests).toHaveLength(1);
    expect(await resolve('x.example/v1', 'Gadget')).toMatchObject({ ok: false });
    served = [...served, { name: 'gadgets', kind: 'Gadget', namespaced: false }];
    expect(await resolve('x.example/v1', 'Gadget')).toStrictEqual({
      ok: true,
      value: { resources: 'gadgets', namespaced: false },
    });
    expect(requests).toHaveLength(3);
  });
});
