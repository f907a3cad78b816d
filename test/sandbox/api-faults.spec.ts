import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { ask, openWatch } from '../fixtures/api-http.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { createKubectl, describeWithKubectl, type Kubectl } from '../fixtures/kubectl.ts';

let api: ApiServer;
beforeEach(async () => {
  api = await createApiServer();
});
afterEach(() => api.close());

const path = '/sandbox/faults';
const pods = '/api/v1/namespaces/default/pods';
const post = (body: unknown) => ask(api, path, { method: 'POST', body });
const listed = async () => JSON.parse((await ask(api, path)).text) as unknown;

describe('faults of a running API, over HTTP', () => {
  test('strike at the requests they match, as often as they say', async () => {
    const action = { kind: 'status', code: 429, retryAfterSeconds: 7 };
    expect((await post({ match: { resource: 'pods' }, action, count: 2 })).code).toBe(200);
    expect(await listed()).toEqual({ faults: [{ match: { resource: 'pods' }, action, count: 2 }] });
    expect((await ask(api, '/api/v1/nodes')).code).toBe(200);
    const struck = await ask(api, pods);
    expect([struck.code, struck.headers['retry-after']]).toEqual([429, '7']);
    expect(await listed()).toMatchObject({ faults: [{ count: 1 }] });
    expect((await ask(api, pods)).code).toBe(429);
    expect((await ask(api, pods)).code).toBe(200);
    expect(await listed()).toEqual({ faults: [] });
  });

  test('are taken back all at once, also one that hits every request', async () => {
    await post({ action: { kind: 'status', code: 500 } });
    expect((await ask(api, pods)).code).toBe(500);
    expect((await ask(api, path, { method: 'DELETE' })).code).toBe(200);
    expect((await ask(api, pods)).code).toBe(200);
  });

  test('cut watches that are open, and make old versions be forgotten', async () => {
    const { resourceVersion } = (await ask(api, pods)).body.metadata;
    const watch = await openWatch(api, `${pods}?watch=1`);
    expect((await post({ watches: 'cut', match: { resource: 'pods' } })).code).toBe(200);
    expect(await watch.ended).toBe('broken');
    expect(watch.rest()).not.toBe('');
    const failing = await openWatch(api, `${pods}?watch=1`);
    await post({ watches: 410 });
    expect(await failing.ended).toBe('clean');
    expect(failing.events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    await ask(api, '/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'other' } } });
    await post({ compact: true });
    const late = await openWatch(api, `${pods}?watch=1&resourceVersion=${resourceVersion}`);
    await eventually('the watch is told', () =>
      late.code === 410 || late.events.length > 0 ? true : undefined,
    );
    late.close();
  });

  test.each([
    [{}, /needs "watches", "compact", or an "action"/],
    [{ action: { kind: 'fire' } }, /one of status, delay, silence, cut/],
    [{ action: { kind: 'status' } }, /\/action must have required property 'code'/],
    [{ action: { kind: 'status', code: 200 } }, /\/action\/code must be >= 400/],
    [{ action: { kind: 'silence' }, match: { kind: 'Pod' } }, /\/match must NOT have additional properties/],
    [{ watches: 'burn' }, /\/watches must be equal to one of the allowed values/],
    [{ compact: 'v1/unicorns' }, /could not find the resource v1\/unicorns/],
  ])('refuse %j and say why', async (body, message) => {
    const answer = await post(body);
    expect([400, 404]).toContain(answer.code);
    expect(answer.body.message).toMatch(message);
    expect(await listed()).toEqual({ faults: [] });
  });

  test('are for the administrator alone', async () => {
    expect((await ask(api, path, { token: 'wrong' })).code).toBe(401);
    expect((await ask(api, path, { method: 'PUT', body: {} })).code).toBe(405);
  });
});

describeWithKubectl('faults of a running API, by kubectl', () => {
  let kubectl: Kubectl;
  beforeEach(async () => {
    kubectl = await createKubectl(api.kubeconfig());
  });
  afterEach(() => kubectl.close());

  test('are added, shown and taken back as docs/sandbox.md tells', async () => {
    const fault = '{"match":{"resource":"pods"},"action":{"kind":"status","code":403}}';
    await kubectl.ok(['create', '--raw', path, '-f', '-'], fault);
    expect(await kubectl.ok(['get', '--raw', path])).toContain('"code":403');
    expect((await kubectl.run(['get', 'pods'])).stderr).toContain('fault: 403');
    await kubectl.ok(['delete', '--raw', path]);
    expect((await kubectl.run(['get', 'pods'])).code).toBe(0);
  });
});
