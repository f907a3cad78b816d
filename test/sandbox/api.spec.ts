import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { ask, openWatch, type OpenedWatch } from '../fixtures/api-http.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const ingresses = '/apis/networking.k8s.io/v1/ingresses';

let server: ApiServer;
let watches: OpenedWatch[] = [];

beforeEach(async () => {
  server = await createApiServer({ historySize: 64 });
});
afterEach(async () => {
  for (const watch of watches) watch.close();
  watches = [];
  await server.close();
});

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data,
});
const load = (names: readonly string[]) =>
  firstValueFrom(server.client.createMany(names.map((name) => configMap(name))));
const write = (name: string, data: Record<string, string>, labels?: Record<string, string>) =>
  firstValueFrom(
    server.client.patch(
      'v1/configmaps',
      { namespace: 'default', name },
      { data, ...(labels === undefined ? {} : { metadata: { labels } }) },
    ),
  );
const remove = (name: string) => firstValueFrom(server.client.delete('v1/configmaps', { name }));
const watch = async (path: string, headers?: Record<string, string>) => {
  const opened = await openWatch(server, path, headers === undefined ? {} : { headers });
  watches.push(opened);
  return opened;
};
const seen = (opened: OpenedWatch) =>
  opened.events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim());
const settles = async (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 10 });

describe('who may come in', () => {
  it('takes the bearer token and refuses a wrong one', async () => {
    expect((await ask(server, maps)).code).toBe(200);
    const refused = await ask(server, maps, { token: 'wrong' });
    expect(refused.code).toBe(401);
    expect(refused.body).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
    expect((await ask(server, maps, { token: '' })).code).toBe(401);
  });

  it('answers health checks and the version to anyone', async () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/version'])
      expect((await ask(server, path, { token: '' })).code, path).toBe(200);
  });
});

describe('objects over HTTPS', () => {
  it('creates, reads, replaces, patches and deletes', async () => {
    const created = await ask(server, maps, { method: 'POST', body: configMap('a', { x: '1' }) });
    expect(created.code).toBe(201);
    expect(created.body.metadata).toMatchObject({ name: 'a', namespace: 'default' });
    expect(created.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect((await ask(server, `${maps}/a`)).body).toEqual(created.body);

    const replaced = await ask(server, `${maps}/a`, {
      method: 'PUT',
      body: { ...created.body, data: { x: '2' } },
    });
    expect(replaced.body.data).toEqual({ x: '2' });
    expect(Number(replaced.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(created.body.metadata.resourceVersion),
    );
    const stale = await ask(server, `${maps}/a`, {
      method: 'PUT',
      body: { ...created.body, data: { x: '3' } },
    });
    expect(stale.code).toBe(409);
    expect(stale.body.reason).toBe('Conflict');

    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await ask(server, `${maps}/a`, { method: 'PATCH', body: { data: { y: '3' } }, headers });
    expect(patched.body.data).toEqual({ x: '2', y: '3' });
    const deleted = await ask(server, `${maps}/a`, { method: 'DELETE' });
    expect(deleted.body).toMatchObject({
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: created.body.metadata.uid },
    });
    const missing = await ask(server, `${maps}/a`);
    expect(missing.code).toBe(404);
    expect(missing.body.message).toBe('configmaps "a" not found');
  });

  it('keeps a Lease, with times to the microsecond, for the one who read it last', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const spec = {
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      renewTime: '2026-01-01T00:00:00.123456Z',
    };
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'leader', namespace: 'default' },
      spec,
    };
    const created = await ask(server, leases, { method: 'POST', body: lease });
    expect(created).toMatchObject({ code: 201, body: { spec } });
    const take = async (holderIdentity: string) =>
      ask(server, `${leases}/leader`, {
        method: 'PUT',
        body: { ...created.body, spec: { ...spec, holderIdentity } },
      });
    expect(await take('two')).toMatchObject({ code: 200, body: { spec: { holderIdentity: 'two' } } });
    expect(await take('three')).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
  });

  it('refuses a second object of the same name, a wrong kind, a wrong namespace and a namespace that is not there', async () => {
    const post = async (body: unknown, path = maps) => ask(server, path, { method: 'POST', body });
    await post(configMap('a'));
    expect((await post(configMap('a'))).body).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
    expect((await post({ ...configMap('b'), kind: 'Secret' })).code).toBe(400);
    expect((await post({ ...configMap('b'), metadata: { name: 'b', namespace: 'other' } })).code).toBe(400);
    const nowhere = await post(
      { ...configMap('b'), metadata: { name: 'b' } },
      '/api/v1/namespaces/nowhere/configmaps',
    );
    expect(nowhere.body.message).toBe('namespaces "nowhere" not found');
  });

  it('takes YAML and gives YAML', async () => {
    const created = await ask(server, maps, {
      method: 'POST',
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\ndata: {x: "1"}\n',
      headers: { 'content-type': 'application/yaml', accept: 'application/yaml' },
    });
    expect(created.code).toBe(201);
    expect(created.text).toContain('kind: ConfigMap\n');
  });

  it('answers a malformed body, an unknown media type and an unknown path with a Status', async () => {
    expect((await ask(server, maps, { method: 'POST', body: '{"a":' })).body).toMatchObject({
      kind: 'Status',
      code: 400,
    });
    expect((await ask(server, maps, { headers: { accept: 'text/html' } })).code).toBe(406);
    await load(['a']);
    const headers = { 'content-type': 'text/plain' };
    expect((await ask(server, `${maps}/a`, { method: 'PATCH', body: '{}', headers })).code).toBe(415);
    expect((await ask(server, '/apis/nothing.io/v1/things')).body).toMatchObject({
      kind: 'Status',
      code: 404,
    });
    expect((await ask(server, '/nothing')).code).toBe(404);
  });

  it('reports a field that occurs twice', async () => {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"},"data":{"x":"1","x":"2"}}';
    const strict = await ask(server, `${maps}?fieldValidation=Strict`, { method: 'POST', body });
    expect(strict.code).toBe(400);
    expect(strict.body.message).toContain('strict decoding error: duplicate field "data.x"');
    const warned = await ask(server, `${maps}?fieldValidation=Warn`, { method: 'POST', body });
    expect(warned.code).toBe(201);
    expect(warned.headers['warning']).toBe('299 - "duplicate field \\"data.x\\""');
  });

  it('deletes a collection by selector', async () => {
    await load(['a', 'b']);
    await write('a', {}, { tier: 'front' });
    await ask(server, `${maps}?labelSelector=tier%3Dfront`, { method: 'DELETE' });
    expect((await ask(server, maps)).body.items.map((item) => item.metadata.name)).toEqual(['b']);
  });
});

describe('lists', () => {
  it('pages through one snapshot, whatever is written meanwhile', async () => {
    await load(['a', 'b', 'c', 'd', 'e']);
    const names: string[] = [];
    let next = '';
    const versions = new Set<string>();
    do {
      const page = await ask(server, `${maps}?limit=2&continue=${next}`);
      names.push(...page.body.items.map((item) => item.metadata.name ?? ''));
      versions.add(page.body.metadata.resourceVersion);
      next = page.body.metadata.continue ?? '';
      if (names.length === 2) {
        expect(page.body.metadata.remainingItemCount).toBe(3);
        await remove('d');
        await load(['c0']);
      }
    } while (next !== '');
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(versions.size).toBe(1);
  });

  it('answers an expired page with 410', async () => {
    await load(['a', 'b']);
    const page = await ask(server, `${maps}?limit=1`);
    server.faults.compact();
    const expired = await ask(server, `${maps}?limit=1&continue=${page.body.metadata.continue}`);
    expect(expired.body).toMatchObject({ code: 410, reason: 'Expired' });
    expect((await ask(server, `${maps}?continue=%25%25`)).code).toBe(400);
  });

  it('lists across namespaces and in one', async () => {
    await load(['a']);
    await firstValueFrom(
      server.client.create({ ...configMap('b'), metadata: { name: 'b', namespace: 'kube-system' } }),
    );
    const names = async (path: string) =>
      (await ask(server, path)).body.items.map((item) => item.metadata.name);
    expect(await names('/api/v1/configmaps')).toEqual(['a', 'b']);
    expect(await names('/api/v1/namespaces/kube-system/configmaps')).toEqual(['b']);
  });

  it('gives metadata only, or table rows, when asked for', async () => {
    await load(['a']);
    const partial = await ask(server, maps, {
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
    });
    expect(partial.body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
    });
    expect(partial.body.items[0]).not.toHaveProperty('data');
    const table = await ask(server, maps, {
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    });
    expect(table.body.columnDefinitions.map((column) => column.name)).toEqual(['Name', 'Data', 'Age']);
    expect(table.body.rows[0]?.cells.slice(0, 2)).toEqual(['a', 0]);
  });

  it('refuses a field selector it does not support and a malformed label selector', async () => {
    expect((await ask(server, `${maps}?fieldSelector=data.x%3D1`)).body.message).toContain(
      'field label not supported: data.x',
    );
    expect((await ask(server, `${maps}?labelSelector=a%20b%20c`)).code).toBe(400);
  });
});

describe('watches', () => {
  it('gives present objects, then each change in order', async () => {
    await load(['a']);
    const opened = await watch(`${maps}?watch=true`);
    await write('a', { x: '1' });
    await load(['b']);
    await remove('a');
    await settles(() => expect(seen(opened)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']));
    const versions = opened.events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(4);
  });

  it('resumes after a version without loss or repetition', async () => {
    await load(['a']);
    const { body } = await ask(server, maps);
    await write('a', { x: '1' });
    await load(['b']);
    const opened = await watch(`${maps}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    await remove('b');
    await settles(() => expect(seen(opened)).toEqual(['MODIFIED a', 'ADDED b', 'DELETED b']));
  });

  it('answers 410 when the version is older than its history', async () => {
    await load(['a']);
    const { body } = await ask(server, maps);
    for (let i = 0; i < 200; i++) await write('a', { x: String(i) });
    const path = `${maps}?watch=true&resourceVersion=${body.metadata.resourceVersion}`;
    expect((await ask(server, path)).body).toMatchObject({ code: 410, reason: 'Expired' });
    const recent = (await ask(server, maps)).body.metadata.resourceVersion;
    await write('a', { x: 'last' });
    server.faults.compact('v1/configmaps');
    expect((await ask(server, `${maps}?watch=true&resourceVersion=${recent}`)).code).toBe(410);
  });

  it('streams the list and marks its end with a bookmark', async () => {
    await load(['a', 'b']);
    const query =
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const opened = await watch(`${maps}?${query}`);
    await write('b', { x: '1' });
    await settles(() => expect(opened.events).toHaveLength(4));
    expect(seen(opened)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK', 'MODIFIED b']);
    expect(opened.events[2]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(Number(opened.events[2]?.object.metadata.resourceVersion)).toBeLessThan(
      Number(opened.events[3]?.object.metadata.resourceVersion),
    );
  });

  it('keeps the order of a long initial list and the changes made while it is sent', async () => {
    const names = Array.from({ length: 3000 }, (_, i) => `m${String(i).padStart(4, '0')}`);
    await load(names);
    const query =
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const opened = await watch(`${maps}?${query}`);
    await write('m0000', { x: '1' });
    await settles(() => expect(opened.events).toHaveLength(3002));
    expect(seen(opened).slice(0, 3000)).toEqual(names.map((name) => `ADDED ${name}`));
    expect(seen(opened).slice(3000)).toEqual(['BOOKMARK', 'MODIFIED m0000']);
  });

  it('turns a change into ADDED or DELETED when an object comes to match or ceases to', async () => {
    await load(['a']);
    const opened = await watch(`${maps}?watch=true&labelSelector=tier%3Dfront`);
    await write('a', {}, { tier: 'front' });
    await write('a', { x: '1' });
    await write('a', {}, { tier: 'back' });
    await write('a', { x: '2' });
    await settles(() => expect(seen(opened)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']));
    expect(opened.events[2]?.object.metadata.labels).toEqual({ tier: 'front' });
  });

  it('watches one object by name', async () => {
    await load(['a', 'b']);
    const opened = await watch(`${maps}?watch=true&fieldSelector=metadata.name%3Db`);
    await write('a', { x: '1' });
    await write('b', { x: '1' });
    await settles(() => expect(seen(opened)).toEqual(['ADDED b', 'MODIFIED b']));
  });

  it('sends bookmarks from time to time to whom wants them', async () => {
    const quick = await createApiServer({ bookmarkIntervalMs: 20 });
    try {
      const opened = await openWatch(quick, `${maps}?watch=true&allowWatchBookmarks=true`);
      await settles(() => expect(opened.events.map(({ type }) => type)).toContain('BOOKMARK'));
      expect(opened.events[0]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
      opened.close();
    } finally {
      await quick.close();
    }
  });

  it('ends cleanly after timeoutSeconds', async () => {
    const opened = await watch(`${maps}?watch=true&timeoutSeconds=1`);
    expect(await opened.ended).toBe('clean');
  });

  it('shows an Event in both API groups', async () => {
    const opened = await watch('/apis/events.k8s.io/v1/events?watch=true');
    await ask(server, '/api/v1/namespaces/default/events', {
      method: 'POST',
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        message: 'text',
        involvedObject: { kind: 'Ingress', name: 'web' },
      },
    });
    await settles(() => expect(opened.events).toHaveLength(1));
    expect(opened.events[0]?.object).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'text',
      regarding: { kind: 'Ingress', name: 'web' },
    });
  });
});

describe('faults', () => {
  it('answers matching requests with a status, as often as told', async () => {
    server.faults.inject({
      match: { resource: 'configmaps', method: 'GET' },
      action: { kind: 'status', code: 429, retryAfterSeconds: 7 },
      count: 2,
    });
    const first = await ask(server, maps);
    expect(first.code).toBe(429);
    expect(first.headers['retry-after']).toBe('7');
    expect((await ask(server, ingresses)).code).toBe(200);
    expect((await ask(server, maps)).code).toBe(429);
    expect((await ask(server, maps)).code).toBe(200);
  });

  it.each([401, 403, 404, 410, 500, 503])('answers %i until the fault is taken back', async (code) => {
    const takeBack = server.faults.inject({ match: { watch: true }, action: { kind: 'status', code } });
    expect((await ask(server, `${maps}?watch=true`)).body).toMatchObject({ kind: 'Status', code });
    expect((await ask(server, maps)).code).toBe(200);
    takeBack();
    const opened = await watch(`${maps}?watch=true`);
    expect(opened.code).toBe(200);
  });

  it('hits one client and spares the others', async () => {
    server.faults.inject({ match: { userAgent: 'controller' }, action: { kind: 'status', code: 500 } });
    expect((await ask(server, maps, { headers: { 'user-agent': 'controller/1' } })).code).toBe(500);
    expect((await ask(server, maps, { headers: { 'user-agent': 'kubectl/1' } })).code).toBe(200);
  });

  it('cuts a watch in the middle of the line after so many events', async () => {
    await load(['a', 'b', 'c']);
    server.faults.inject({ match: { watch: true }, action: { kind: 'cut', afterEvents: 2 } });
    const opened = await watch(`${maps}?watch=true`);
    expect(await opened.ended).toBe('broken');
    expect(seen(opened)).toEqual(['ADDED a', 'ADDED b']);
    expect(opened.rest()).toMatch(/^\{"type":"ADDED","object":\{/);
  });

  it('carries an ERROR event in the stream', async () => {
    await load(['a']);
    server.faults.inject({
      match: { watch: true },
      action: { kind: 'watch-error', code: 410, afterEvents: 1 },
    });
    const opened = await watch(`${maps}?watch=true`);
    expect(await opened.ended).toBe('clean');
    expect(opened.events.map(({ type }) => type)).toEqual(['ADDED', 'ERROR']);
    expect(opened.events[1]?.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
  });

  it('carries an ERROR event at once when there is nothing before it', async () => {
    server.faults.inject({
      match: { watch: true },
      action: { kind: 'watch-error', code: 500, afterEvents: 0 },
    });
    const opened = await watch(`${maps}?watch=true`);
    await opened.ended;
    expect(opened.events).toEqual([expect.objectContaining({ type: 'ERROR' })]);
  });

  it('keeps a watch silent and its socket open', async () => {
    await load(['a']);
    server.faults.inject({ match: { watch: true }, action: { kind: 'silence' }, count: 1 });
    const silent = await watch(`${maps}?watch=true`);
    const other = await watch(`${maps}?watch=true`);
    await write('a', { x: '1' });
    await settles(() => expect(other.events).toHaveLength(2));
    expect(silent.events).toEqual([]);
    expect(server.faults.openWatches()).toBe(2);
  });

  it('keeps a request waiting', async () => {
    server.faults.inject({ match: { method: 'GET' }, action: { kind: 'delay', ms: 150 }, count: 1 });
    const begin = performance.now();
    expect((await ask(server, maps)).code).toBe(200);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(140);
  });

  it('closes a connection without an answer', async () => {
    server.faults.inject({ action: { kind: 'reset' }, count: 1 });
    await expect(ask(server, maps)).rejects.toThrow();
    expect((await ask(server, maps)).code).toBe(200);
  });

  it('refuses streaming lists, or withholds the marker, as older servers do', async () => {
    const query =
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    server.faults.inject({ action: { kind: 'no-initial-events' }, count: 1 });
    expect((await ask(server, `${maps}?${query}`)).code).toBe(400);
    await load(['a']);
    server.faults.inject({ action: { kind: 'no-end-marker' }, count: 1 });
    const opened = await watch(`${maps}?${query}`);
    await write('a', { x: '1' });
    await settles(() => expect(seen(opened)).toEqual(['ADDED a', 'MODIFIED a']));
  });

  it('requires resourceVersionMatch with sendInitialEvents', async () => {
    expect((await ask(server, `${maps}?watch=true&sendInitialEvents=true`)).code).toBe(422);
  });

  it('cuts, silences, fails and ends watches that are open', async () => {
    const cut = await watch(`${maps}?watch=true`);
    server.faults.cutWatches({ resource: 'configmaps' });
    expect(await cut.ended).toBe('broken');
    const failed = await watch(`${maps}?watch=true`);
    server.faults.failWatches(410);
    expect(await failed.ended).toBe('clean');
    expect(failed.events[0]).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    const ended = await watch(`${maps}?watch=true`);
    server.faults.endWatches();
    expect(await ended.ended).toBe('clean');
    const silent = await watch(`${maps}?watch=true`);
    server.faults.silenceWatches();
    await load(['x']);
    const fresh = await watch(`${maps}?watch=true`);
    await settles(() => expect(fresh.events).toHaveLength(1));
    expect(silent.events).toEqual([]);
    expect(server.faults.openWatches({ resource: 'ingresses' })).toBe(0);
  });

  it('goes away and comes back on the same port with its objects', async () => {
    await load(['a']);
    const opened = await watch(`${maps}?watch=true`);
    await server.faults.stopListening();
    expect(await opened.ended).toBe('broken');
    await expect(ask(server, maps)).rejects.toThrow();
    await server.faults.resumeListening();
    expect((await ask(server, `${maps}/a`)).code).toBe(200);
    const again = await watch(`${maps}?watch=true`);
    server.faults.closeConnections();
    expect(await again.ended).toBe('broken');
  });

  it('stores malformed objects when validation is off, and not when it is on', async () => {
    const bad = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'Bad_Name' },
      spec: {
        rules: [{ host: 'a b\n"; #', http: { paths: [{ path: 'x', pathType: 7, backend: null }] } }],
        tls: 'no',
      },
    };
    const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
    expect((await ask(server, path, { method: 'POST', body: bad })).code).toBe(400);
    server.faults.allowInvalid = true;
    const stored = await ask(server, path, { method: 'POST', body: bad });
    expect(stored.code).toBe(201);
    expect(stored.body.spec).toEqual(bad.spec);
    expect(
      (await ask(server, ingresses, { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } }))
        .code,
    ).toBe(200);
    server.faults.clear();
    expect((await ask(server, path, { method: 'POST', body: bad })).code).toBe(400);
  });
});

describe('documents', () => {
  it('serves discovery in both forms', async () => {
    const groups = await ask(server, '/apis');
    expect(groups.body.groups.map((group) => group.name)).toContain('networking.k8s.io');
    const resources = await ask(server, '/apis/apps/v1');
    const scale = resources.body.resources.find((one) => one.name === 'deployments/scale');
    expect(scale).toMatchObject({ kind: 'Scale', group: 'autoscaling', version: 'v1' });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const aggregated = await ask(server, '/apis', { headers: { accept } });
    expect(aggregated.headers['content-type']).toContain('as=APIGroupDiscoveryList');
    expect(aggregated.body.items.map((item) => item.metadata.name)).toContain('discovery.k8s.io');
  });

  it('serves an OpenAPI document whose references all resolve, for every group version', async () => {
    const index = await ask(server, '/openapi/v3');
    const paths = Object.values(index.body.paths);
    expect(paths.length).toBeGreaterThan(8);
    for (const { serverRelativeURL } of paths) {
      const { body } = await ask(server, serverRelativeURL);
      const known = new Set(Object.keys(body.components.schemas));
      const used = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
        (match) => match[1],
      );
      expect(
        used.filter((name) => !known.has(name ?? '')),
        serverRelativeURL,
      ).toEqual([]);
      expect(JSON.stringify(body)).not.toMatch(/"(definition|origin|proto|zero)":/);
    }
  });
});
