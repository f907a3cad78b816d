import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { BehaviorSubject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { ownResourcesPart } from '../../../src/cli/controller/own-resources-part.ts';
import { kubeClient } from '../../../src/kube/kube-client.ts';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';
import { kubeTransport, type KubeTransport } from '../../../src/kube/kube-transport.ts';
import { orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import { createTaps } from '../../../src/operators/taps.ts';
import { type DeclaredResource, referenceKey } from '../../../src/protocol/declared.ts';
import type { Leadership } from '../../../src/protocol/leadership.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import type { ControllerRuntime } from '../../../src/world/controller-runtime.ts';
import { eventually } from '../../fixtures/haproxy-process.ts';

const cleanups: (() => unknown)[] = [];
const maps = { apiVersion: 'v1', resources: 'configmaps', namespace: 'default' };

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const declared = (name: string, text: string): DeclaredResource => ({
  reference: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { text } },
  createOnlyFields: [],
  owner: { kind: 'Ingress', namespace: 'web', name: 'shop' },
  place: 'k8sResources/pages:1:1',
});

const rendered = (...resources: readonly DeclaredResource[]) => ({
  accepted: {
    resources: orderedMapFrom(resources.map((one) => [referenceKey(one.reference), one] as const)),
    problems: [],
  },
});

const leading: Leadership = { kind: 'leading', epoch: 1 };
const standby: Leadership = { kind: 'standby', leader: 'other' };

async function start(first: Leadership, forbidden?: string) {
  const server = await createApiServer();
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-own-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, server.kubeconfig());
  const transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
  const leadership$ = new BehaviorSubject<Leadership>(first);
  const latch$ = new BehaviorSubject<unknown>(rendered(declared('page', 'one')));
  const asked: string[] = [];
  const leaderTransport: KubeTransport = {
    request: (request) => {
      asked.push(`${leadership$.value.kind} ${request.method ?? 'GET'}`);
      if (request.path !== forbidden) return transport.request(request);
      const failure = { kind: 'http' as const, status: 403, reason: 'Forbidden', message: 'may not list' };
      return Promise.resolve({ ok: false, failure });
    },
    close: () => transport.close(),
  };
  if (forbidden !== undefined)
    await kubeClient(transport).create(maps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'web-own-resources', namespace: 'default' },
      data: { kinds: 'v1 ConfigMap\nv1 Secret' },
    });
  const lines: string[] = [];
  const registry = new Registry();
  const subscription = ownResourcesPart({
    identity: { namespace: 'default', name: 'web', isObject: false },
    pipeline: { latch$ },
    leadership$,
    leaderTransport,
    taps: createTaps(),
    metrics: createMetrics(registry),
    log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
    onFatal: (error: unknown) => {
      throw error;
    },
  } as unknown as ControllerRuntime);
  cleanups.push(
    () => rm(folder, { recursive: true }),
    () => server.close(),
    () => transport.close(),
    () => subscription.unsubscribe(),
  );
  const client = kubeClient(transport);
  const textOf = async (name: string): Promise<unknown> => {
    const found = await client.get(maps, name);
    return found.ok ? (found.value['data'] as { readonly text?: unknown }).text : undefined;
  };
  const says = (text: string) =>
    eventually(`the page says ${text}`, async () => ((await textOf('page')) === text ? true : undefined));
  return { leadership$, latch$, asked, lines, textOf, says };
}

describe('own objects of one of several controllers', () => {
  it('are written by the leader alone, from the moment at which it leads', async () => {
    const { leadership$, latch$, asked, textOf, says } = await start(standby);
    latch$.next(rendered(declared('page', 'two')));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toStrictEqual([]);
    leadership$.next(leading);
    await says('two');
    leadership$.next(standby);
    const sent = asked.length;
    latch$.next(rendered(declared('page', 'three')));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(sent);
    expect(await textOf('page')).toBe('two');
    leadership$.next({ kind: 'leading', epoch: 3 });
    await says('three');
    expect(asked.filter((line) => line.startsWith('standby'))).toStrictEqual([]);
  });

  it('are written where objects of another kind may not be listed, which is said', async () => {
    const { lines, says } = await start(leading, '/api/v1/secrets');
    await says('one');
    expect(
      lines.filter((line) => line.includes('v1 Secret: ') && line.includes('may not list')),
    ).toHaveLength(1);
  });

  it('go on where leadership is taken again by the same one, without taking stock anew', async () => {
    const { leadership$, asked, says } = await start(leading);
    await says('one');
    const sent = asked.length;
    leadership$.next({ kind: 'leading', epoch: 2 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(sent);
  });
});
