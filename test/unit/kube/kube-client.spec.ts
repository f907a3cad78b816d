import { afterEach, describe, expect, it } from 'vitest';
import { kubeClient, type KubeClient } from '../../../src/kube/kube-client.ts';
import { bodyOf, json, type Handler } from '../../fixtures/scripted-server.ts';
import { scriptedTransport } from '../../fixtures/scripted-transport.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function clientOf(handler: Handler) {
  const scripted = await scriptedTransport(handler);
  cleanups.push(scripted.close);
  return { client: kubeClient(scripted.transport), requests: scripted.requests };
}

const leases = { apiVersion: 'coordination.k8s.io/v1', resources: 'leases', namespace: 'ns' };
const lease = { apiVersion: leases.apiVersion, kind: 'Lease', metadata: { name: 'l', namespace: 'ns' } };

describe('kubeClient', () => {
  it('sends each call in the form that the API wants, and returns the object', async () => {
    const seen: string[] = [];
    const { client } = await clientOf((request, response) => {
      void bodyOf(request).then((body) => {
        seen.push([request.method, request.url, request.headers['content-type'], body].join(' ').trim());
        json(response, 200, lease);
      });
    });
    const calls: ((client: KubeClient) => Promise<unknown>)[] = [
      (to) => to.get(leases, 'l'),
      (to) => to.create(leases, lease),
      (to) => to.replace(leases, lease, { subresource: 'status' }),
      (to) => to.patch(leases, 'l', 'merge', { spec: null }),
      (to) => to.patch(leases, 'l', 'json', []),
      (to) => to.patch(leases, 'l', 'strategic', {}, { subresource: 'status' }),
      (to) => to.apply(leases, lease, { fieldManager: 'haptic', force: true, subresource: 'status' }),
      (to) => to.delete(leases, 'l'),
      (to) => to.delete(leases, 'l', { uid: 'u' }),
    ];
    for (const call of calls) expect(await call(client)).toEqual({ ok: true, value: lease });
    const path = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';
    const body = JSON.stringify(lease);
    expect(seen).toEqual([
      `GET ${path}/l`,
      `POST ${path} application/json ${body}`,
      `PUT ${path}/l/status application/json ${body}`,
      `PATCH ${path}/l application/merge-patch+json {"spec":null}`,
      `PATCH ${path}/l application/json-patch+json []`,
      `PATCH ${path}/l/status application/strategic-merge-patch+json {}`,
      `PATCH ${path}/l/status?fieldManager=haptic&force=true application/apply-patch+yaml ${body}`,
      `DELETE ${path}/l`,
      `DELETE ${path}/l application/json {"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"}}`,
    ]);
  });

  it('returns failures as values: refusals, answers that are no JSON or no object, answers cut short', async () => {
    const { client } = await clientOf((request, response) => {
      switch (request.url?.split('/').at(-1)) {
        case 'conflict':
          json(response, 409, { reason: 'Conflict', message: 'no' });
          return;
        case 'text':
          response.end('hello');
          return;
        case 'list':
          json(response, 200, []);
          return;
        default:
          response.writeHead(200, { 'content-length': '100' });
          response.write('{');
          setImmediate(() => response.destroy());
      }
    });
    expect(await client.get(leases, 'conflict')).toMatchObject({ ok: false, failure: { status: 409 } });
    const path = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';
    expect(await client.get(leases, 'text')).toMatchObject({
      failure: { kind: 'protocol', message: `the answer to GET ${path}/text is not JSON` },
    });
    expect(await client.get(leases, 'list')).toMatchObject({
      failure: { kind: 'protocol', message: `the answer to GET ${path}/list is not an object` },
    });
    expect(await client.get(leases, 'cut')).toMatchObject({ ok: false, failure: { kind: 'network' } });
  });

  it('lists page by page, and stops at a failure', async () => {
    const { client, requests } = await clientOf((request, response) => {
      const next = new URL(request.url ?? '', 'http://x').searchParams.get('continue');
      if (next === null)
        json(response, 200, { metadata: { resourceVersion: '3', continue: 'n' }, items: [lease] });
      else if (next === 'n')
        json(response, 200, { metadata: { resourceVersion: '3', continue: 'x' }, items: null });
      else json(response, 410, { reason: 'Expired', message: 'too old' });
    });
    const pages: unknown[] = [];
    for await (const page of client.list(leases, { limit: 1, labelSelector: 'a=b' })) pages.push(page);
    expect(pages).toMatchObject([
      { ok: true, value: { items: [lease], resourceVersion: '3' } },
      { ok: true, value: { items: [] } },
      { ok: false, failure: { status: 410, reason: 'Expired' } },
    ]);
    const path = '/apis/coordination.k8s.io/v1/namespaces/ns/leases?labelSelector=a%3Db&limit=1';
    expect(requests).toEqual([`GET ${path}`, `GET ${path}&continue=n`, `GET ${path}&continue=x`]);
  });

  it('refuses a list that is none', async () => {
    for (const body of [
      {},
      { metadata: { resourceVersion: '1' }, items: [{}] },
      { metadata: {}, items: [] },
      3,
    ]) {
      const { client } = await clientOf((_, response) => json(response, 200, body));
      const pages: unknown[] = [];
      for await (const page of client.list(leases)) pages.push(page);
      expect(pages).toMatchObject([{ ok: false, failure: { kind: 'protocol' } }]);
    }
  });
});
