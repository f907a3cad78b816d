import { afterEach, describe, expect, it } from 'vitest';
import { customResources } from '../../../src/api/crd/custom-resources.ts';
import { applyCrds } from '../../../src/kube/apply-crds.ts';
import { bodyOf, json } from '../../fixtures/scripted-server.ts';
import { scriptedTransport } from '../../fixtures/scripted-transport.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Crd {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly spec?: unknown;
  readonly status?: { readonly conditions: readonly object[] };
}

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/';
const names = customResources.map(({ plural }) => `${plural}.haproxy-haptic.org`).sort();
const served = {
  conditions: [
    { type: 'NamesAccepted', status: 'True' },
    { type: 'Established', status: 'True' },
  ],
};
const waiting = { conditions: [{ type: 'NamesAccepted', status: 'True' }] };
const taken = {
  conditions: [{ type: 'NamesAccepted', status: 'False', message: '"HAProxyCfg" is already in use' }],
};

/** An API server that knows CRDs only. `statusOf` is asked at each GET after the apply. */
async function serverOf(statusOf: (name: string, look: number) => Crd['status'], held: readonly Crd[] = []) {
  const crds = new Map(held.map((crd) => [crd.metadata.name, crd]));
  const looks = new Map<string, number>();
  const queries: string[] = [];
  const scripted = await scriptedTransport((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const name = url.pathname.slice(path.length);
    const crd = crds.get(name);
    if (request.method === 'GET') {
      const look = looks.get(name) ?? 0;
      if (crd === undefined)
        json(response, 404, { kind: 'Status', reason: 'NotFound', message: 'not found' });
      else json(response, 200, look === 0 ? crd : { ...crd, status: statusOf(name, look) });
      if (crd !== undefined) looks.set(name, look + 1);
      return;
    }
    void bodyOf(request).then((text) => {
      queries.push(url.search);
      const body = JSON.parse(text) as Crd;
      const changed = JSON.stringify(body.spec) !== JSON.stringify(crd?.spec);
      const generation = (crd?.metadata.generation ?? 0) + (changed ? 1 : 0);
      const next = { ...body, metadata: { ...body.metadata, generation } };
      if (!url.searchParams.has('dryRun')) {
        crds.set(name, next);
        looks.set(name, Math.max(1, looks.get(name) ?? 0));
      }
      json(response, 200, next);
    });
  });
  cleanups.push(scripted.close);
  return { ...scripted, crds, queries };
}

describe('applyCrds', () => {
  it('creates every CRD, as haptic, and ends when all are served', async () => {
    const { transport, crds, queries } = await serverOf((_name, look) => (look < 3 ? waiting : served));
    const done = await applyCrds(transport, { intervalMs: 1 });
    expect(done).toStrictEqual({ ok: true, value: names.map((name) => ({ name, outcome: 'created' })) });
    expect([...crds.keys()].sort()).toStrictEqual(names);
    expect(new Set(queries)).toStrictEqual(new Set(['?fieldManager=helm&force=true']));
  });

  it('tells what was changed from what was there already', async () => {
    const first = await serverOf(() => served);
    await applyCrds(first.transport);
    const [name = ''] = names;
    const held = [...first.crds.values()].map((crd) =>
      crd.metadata.name === name ? { ...crd, spec: { group: 'old' } } : crd,
    );
    const again = await serverOf(() => served, held);
    expect(await applyCrds(again.transport)).toStrictEqual({
      ok: true,
      value: names.map((other) => ({ name: other, outcome: other === name ? 'changed' : 'unchanged' })),
    });
  });

  it('changes nothing in a dry run, and waits for nothing', async () => {
    const { transport, crds, queries } = await serverOf(() => waiting);
    expect(await applyCrds(transport, { dryRun: true })).toMatchObject({ ok: true });
    expect(crds.size).toBe(0);
    expect(queries.every((query) => query.includes('dryRun=All'))).toBe(true);
  });

  it('says whose names were not accepted', async () => {
    const { transport } = await serverOf((name) => (name.startsWith('haproxycfgs') ? taken : served));
    expect(await applyCrds(transport, { intervalMs: 1 })).toStrictEqual({
      ok: false,
      failure: {
        kind: 'http',
        status: 409,
        reason: 'NamesNotAccepted',
        message: 'haproxycfgs.haproxy-haptic.org: "HAProxyCfg" is already in use',
      },
    });
  });

  it('waits no longer than it may', async () => {
    const { transport } = await serverOf(() => waiting);
    expect(await applyCrds(transport, { intervalMs: 1, timeoutMs: 5 })).toMatchObject({
      ok: false,
      failure: { status: 504, reason: 'Timeout' },
    });
  });

  it('ends with its signal', async () => {
    const { transport } = await serverOf(() => waiting);
    const stop = new AbortController();
    const done = applyCrds(transport, { intervalMs: 3_600_000, signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    expect(await done).toStrictEqual({ ok: false, failure: { kind: 'aborted' } });
  });

  it('ends with the first refusal, in the words of the server', async () => {
    const message = 'customresourcedefinitions is forbidden';
    const scripted = await scriptedTransport((_request, response) =>
      json(response, 403, { kind: 'Status', reason: 'Forbidden', message }),
    );
    cleanups.push(scripted.close);
    expect(await applyCrds(scripted.transport)).toStrictEqual({
      ok: false,
      failure: { kind: 'http', status: 403, reason: 'Forbidden', message },
    });
    expect(scripted.requests).toHaveLength(1);
  });
});
