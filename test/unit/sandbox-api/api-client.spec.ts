import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ApiObject } from '../../../src/sandbox/api/api-object.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { statusOf } from '../../../src/sandbox/api/api-status.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';

let server: ApiServer;
beforeEach(async () => {
  server = await createApiServer();
});
afterEach(() => server.close());

const map = (name: string, more: Partial<ApiObject['metadata']> = {}, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...more },
  data,
});
const create = (object: { apiVersion: string; kind: string; metadata: { name: string } }) =>
  firstValueFrom(server.client.create(object)) as Promise<ApiObject>;
const get = (name: string, resource = 'v1/configmaps') =>
  firstValueFrom(server.client.get(resource, { name }));
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => statusOf(error),
  );
const ownedBy = (owner: ApiObject) => ({
  ownerReferences: [
    {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: owner.metadata.name,
      uid: owner.metadata.uid ?? '',
    },
  ],
});
const gone = (name: string) =>
  vi.waitFor(async () => expect((await failure(get(name))).code).toBe(404), { timeout: 10_000, interval: 5 });

describe('the client', () => {
  it('acts only when subscribed to, and then at once', () => {
    const creating$ = server.client.create(map('a'));
    const names: string[] = [];
    server.client
      .list('v1/configmaps')
      .subscribe((items) => names.push(...items.map((item) => item.metadata.name)));
    expect(names).toEqual([]);
    creating$.subscribe();
    server.client
      .list('v1/configmaps')
      .subscribe((items) => names.push(...items.map((item) => item.metadata.name)));
    expect(names).toEqual(['a']);
  });

  it('hands a write to watchers before the write returns, in order', () => {
    const events: string[] = [];
    const subscription = server.client.watch('v1/configmaps').subscribe((event) => {
      events.push(event.type === 'SYNCED' ? 'SYNCED' : `${event.type} ${event.object.metadata.name}`);
    });
    server.client.create(map('a')).subscribe();
    expect(events).toEqual(['SYNCED', 'ADDED a']);
    server.client.patch('v1/configmaps', { name: 'a' }, { data: { x: '1' } }).subscribe();
    server.client.delete('v1/configmaps', { name: 'a' }).subscribe();
    expect(events).toEqual(['SYNCED', 'ADDED a', 'MODIFIED a', 'DELETED a']);
    subscription.unsubscribe();
    server.client.create(map('b')).subscribe();
    expect(events).toHaveLength(4);
  });

  it('begins a watch with what is there', async () => {
    await create(map('a'));
    const events: string[] = [];
    server.client.watch('v1/configmaps', { namespace: 'default' }).subscribe((event) => {
      events.push(event.type);
    });
    expect(events).toEqual(['ADDED', 'SYNCED']);
  });

  it('loads ten thousand objects and writes among them as among few', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => map(`m${i}`));
    expect(await firstValueFrom(server.client.createMany(many))).toBe(10_000);
    const seen: string[] = [];
    server.client.watch('v1/configmaps', { fieldSelector: 'metadata.name=m5000' }).subscribe((event) => {
      if (event.type !== 'SYNCED') seen.push(event.type);
    });
    await firstValueFrom(server.client.patch('v1/configmaps', { name: 'm5000' }, { data: { x: '1' } }));
    expect(seen).toEqual(['ADDED', 'MODIFIED']);
  });

  it('keeps the status of bulk loads and of creates that ask for it, and drops it otherwise', async () => {
    const pod = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
      status: { phase: 'Running', podIP: '127.0.0.5' },
    });
    await firstValueFrom(server.client.createMany([pod('bulk')]));
    await firstValueFrom(server.client.create(pod('kept'), { keepStatus: true }));
    await firstValueFrom(server.client.create(pod('plain')));
    expect((await get('bulk', 'v1/pods'))['status']).toMatchObject({ podIP: '127.0.0.5' });
    expect((await get('kept', 'v1/pods'))['status']).toMatchObject({ podIP: '127.0.0.5' });
    expect((await get('plain', 'v1/pods'))['status']).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('names the kind, the object and the way it failed', async () => {
    expect(await failure(get('nobody'))).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "nobody" not found',
      details: { name: 'nobody', kind: 'configmaps' },
    });
    expect((await failure(get('x', 'v1/nothings'))).code).toBe(404);
    expect(server.client.resourceOf('apps/v1', 'Deployment')).toBe('apps/v1/deployments');
  });
});

describe('versions and generations', () => {
  it('gives every write a version of its own over all kinds', async () => {
    const a = await create(map('a'));
    const ns = await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    expect(Number(ns.metadata.resourceVersion)).toBe(Number(a.metadata.resourceVersion) + 1);
  });

  it('does not make a version of a write that changes nothing', async () => {
    const a = await create(map('a', {}, { x: '1' }));
    const same = await firstValueFrom(
      server.client.patch('v1/configmaps', { name: 'a' }, { data: { x: '1' } }),
    );
    expect(same.metadata.resourceVersion).toBe(a.metadata.resourceVersion);
  });

  it('refuses a stale version and a uid of another object', async () => {
    const a = await create(map('a'));
    await firstValueFrom(server.client.update({ ...a, data: { x: '1' } }));
    expect((await failure(firstValueFrom(server.client.update({ ...a, data: { x: '2' } })))).code).toBe(409);
    const stranger = map('a', { uid: '00000000-0000-0000-0000-000000000000' });
    expect((await failure(firstValueFrom(server.client.update(stranger)))).code).toBe(409);
    const precondition = { name: 'a' };
    expect(
      (await failure(firstValueFrom(server.client.delete('v1/configmaps', precondition, { uid: 'other' }))))
        .code,
    ).toBe(409);
  });

  it('counts changes of the specification, not of metadata or status', async () => {
    const key = { name: 'web' };
    const resource = 'networking.k8s.io/v1/ingresses';
    await create({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web' },
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    } as never);
    const patch = async (body: unknown, options = {}) =>
      (await firstValueFrom(server.client.patch(resource, key, body, options))).metadata.generation;
    expect(await patch({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(
      await patch(
        { status: { loadBalancer: { ingress: [{ ip: '127.0.0.1' }] } } },
        { subresource: 'status' },
      ),
    ).toBe(1);
    expect(await patch({ spec: { ingressClassName: 'haptic' } })).toBe(2);
  });

  it('takes a status away that its only manager gives up', async () => {
    const ingress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'mine', namespace: 'default' },
    };
    await create({
      ...ingress,
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    } as never);
    const apply = async (status: object) => {
      const options = { subresource: 'status', fieldManager: 'one' } as const;
      const applied = await firstValueFrom(
        server.client.apply<KubeObject>({ ...ingress, ...status }, options),
      );
      return applied['status'];
    };
    const loadBalancer = { ingress: [{ ip: '127.0.0.1' }] };
    expect(await apply({ status: { loadBalancer } })).toStrictEqual({ loadBalancer });
    expect(await apply({})).toStrictEqual({ loadBalancer: {} });
  });

  it('names an object from a prefix', async () => {
    const one = await create({ ...map(''), metadata: { name: '', generateName: 'job-' } } as never);
    expect(one.metadata.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});

describe('deletion', () => {
  it('waits for finalizers and goes with the last one', async () => {
    await create(map('a', { finalizers: ['example.com/hold'] }));
    await firstValueFrom(server.client.delete('v1/configmaps', { name: 'a' }));
    const held = await get('a');
    expect(held.metadata.deletionTimestamp).toBeDefined();
    await firstValueFrom(server.client.delete('v1/configmaps', { name: 'a' }));
    expect((await get('a')).metadata.resourceVersion).toBe(held.metadata.resourceVersion);
    await firstValueFrom(
      server.client.patch('v1/configmaps', { name: 'a' }, { metadata: { finalizers: null } }),
    );
    expect((await failure(get('a'))).code).toBe(404);
  });

  it('takes dependents along when their last owner is gone', async () => {
    const one = await create(map('one'));
    const two = await create(map('two'));
    await create(map('child', ownedBy(one)));
    await create(
      map('shared', { ownerReferences: [...ownedBy(one).ownerReferences, ...ownedBy(two).ownerReferences] }),
    );
    const grandchild = map('grandchild', ownedBy(await get('child')));
    await create(grandchild);
    await firstValueFrom(server.client.delete('v1/configmaps', { name: 'one' }));
    await gone('child');
    await gone('grandchild');
    expect((await get('shared')).metadata.name).toBe('shared');
    await firstValueFrom(server.client.delete('v1/configmaps', { name: 'two' }));
    await gone('shared');
  });

  it('takes along a dependent that is made after its owner has gone', async () => {
    const owner = await create(map('owner'));
    await firstValueFrom(server.client.delete('v1/configmaps', { name: 'owner' }));
    await create(map('late', ownedBy(owner)));
    await gone('late');
  });

  it('lets dependents live as orphans', async () => {
    const owner = await create(map('owner'));
    await create(map('child', ownedBy(owner)));
    const options = { propagationPolicy: 'Orphan' } as const;
    await firstValueFrom(server.client.delete('v1/configmaps', { name: 'owner' }, options));
    await gone('owner');
    expect((await get('child')).metadata.ownerReferences).toEqual([]);
  });

  it('in the foreground, lets the owner go after its dependents', async () => {
    const owner = await create(map('owner'));
    await create(map('child', { ...ownedBy(owner), finalizers: ['example.com/hold'] }));
    const options = { propagationPolicy: 'Foreground' } as const;
    await firstValueFrom(server.client.delete('v1/configmaps', { name: 'owner' }, options));
    await vi.waitFor(async () => expect((await get('child')).metadata.deletionTimestamp).toBeDefined(), {
      timeout: 10_000,
    });
    expect((await get('owner')).metadata.finalizers).toEqual(['foregroundDeletion']);
    await firstValueFrom(
      server.client.patch('v1/configmaps', { name: 'child' }, { metadata: { finalizers: null } }),
    );
    await gone('owner');
  });

  it('empties a namespace, waits for what is held there, and lets nothing new in', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    const inside = {
      ...map('held'),
      metadata: { name: 'held', namespace: 'n', finalizers: ['example.com/hold'] },
    };
    await firstValueFrom(
      server.client.createMany([inside, { ...map('b'), metadata: { name: 'b', namespace: 'n' } }]),
    );
    await firstValueFrom(server.client.delete('v1/namespaces', { name: 'n' }));
    const left = async () =>
      (await firstValueFrom(server.client.list('v1/configmaps', { namespace: 'n' }))).map(
        (item) => item.metadata.name,
      );
    await vi.waitFor(async () => expect(await left()).toEqual(['held']), { timeout: 10_000, interval: 5 });
    expect((await get('n', 'v1/namespaces'))['status']).toEqual({ phase: 'Terminating' });
    const late = { ...map('late'), metadata: { name: 'late', namespace: 'n' } };
    expect((await failure(create(late))).code).toBe(403);
    const unhold = { metadata: { finalizers: null } };
    await firstValueFrom(server.client.patch('v1/configmaps', { namespace: 'n', name: 'held' }, unhold));
    await vi.waitFor(async () => expect((await failure(get('n', 'v1/namespaces'))).code).toBe(404), {
      timeout: 10_000,
      interval: 5,
    });
  });

  it('keeps a pod on a node until its node confirms, where that is asked for', async () => {
    const graceful = await createApiServer({ gracefulPods: true });
    try {
      const { client } = graceful;
      await firstValueFrom(
        client.createMany([
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'p' },
            spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
          },
        ]),
      );
      await firstValueFrom(client.delete('v1/pods', { name: 'p' }));
      const pod = await firstValueFrom(client.get('v1/pods', { name: 'p' }));
      expect(pod.metadata.deletionGracePeriodSeconds).toBe(30);
      await firstValueFrom(client.delete('v1/pods', { name: 'p' }, { gracePeriodSeconds: 0 }));
      expect((await failure(firstValueFrom(client.get('v1/pods', { name: 'p' })))).code).toBe(404);
    } finally {
      await graceful.close();
    }
  });
});

describe('custom kinds', () => {
  const crd = (version: object) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, ...version }],
    },
  });
  const open = {
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 2 } } } },
      },
    },
  };

  it('are there as soon as their CRD is, prune what they do not know, and go with it', async () => {
    await create(crd(open));
    const thing = await create({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 't' },
      spec: { other: 1 },
    } as never);
    expect(thing['spec']).toEqual({ size: 2 });
    const wrong = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'u' },
      spec: { size: 'big' },
    };
    const status = await failure(create(wrong));
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { name: 'u', group: 'example.com', kind: 'Thing' },
    });
    expect(status.details?.causes?.[0]?.field).toBe('spec.size');
    await firstValueFrom(
      server.client.delete('apiextensions.k8s.io/v1/customresourcedefinitions', {
        name: 'things.example.com',
      }),
    );
    expect((await failure(get('t', 'example.com/v1/things'))).code).toBe(404);
  });

  it('are refused with a schema that is not structural', async () => {
    const status = await failure(
      create(
        crd({
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { properties: { a: { $ref: '#/x', type: 'string' } } } },
            },
          },
        }),
      ),
    );
    const fields = status.details?.causes?.map((cause) => cause.field);
    expect(fields).toEqual([
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].type',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].$ref',
    ]);
  });

  it('are served in every version', async () => {
    const two = crd(open);
    const versions = [...two.spec.versions, { name: 'v1beta1', served: true, storage: false, ...open }];
    await create({ ...two, spec: { ...two.spec, versions } } as never);
    await create({ apiVersion: 'example.com/v1beta1', kind: 'Thing', metadata: { name: 't' } });
    expect((await get('t', 'example.com/v1/things')).apiVersion).toBe('example.com/v1');
    expect((await get('t', 'example.com/v1beta1/things')).apiVersion).toBe('example.com/v1beta1');
  });
});
