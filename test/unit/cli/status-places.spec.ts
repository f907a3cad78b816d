import { describe, expect, it, test } from 'vitest';
import type { WatchedResource } from '../../../src/api/template-config.ts';
import { statusPlaces } from '../../../src/cli/controller/status-places.ts';
import type { KubeTransport } from '../../../src/kube/kube-transport.ts';
import { statusObjects } from '../../../src/kube/status-objects.ts';

const resource = (more: Partial<WatchedResource>): WatchedResource => ({
  ...{ apiVersion: 'networking.k8s.io/v1', resources: 'ingresses', indexBy: ['metadata.name'] },
  ...more,
});

describe('objects with a status are looked for', () => {
  const placesOf = (watchedResources: Readonly<Record<string, WatchedResource>>) =>
    statusPlaces(() => ({ config: { watchedResources } }), { namespace: 'haptic' });
  const ingresses = { apiVersion: 'networking.k8s.io/v1', resources: 'ingresses' };

  it('where they are watched, in all namespaces if any entry watches them in all', () => {
    const shop = resource({ namespaces: ['shop', 'blog'] });
    expect(placesOf({ shop, more: resource({ namespaces: ['blog', 'lab'] }) })(ingresses)).toStrictEqual([
      ...['shop', 'blog', 'lab'],
    ]);
    expect(placesOf({ shop, all: resource({}) })(ingresses)).toBeUndefined();
  });

  it('by group: which version is watched is no matter', () => {
    const watched = resource({ apiVersion: 'networking.k8s.io/v1beta1', namespaces: ['shop'] });
    expect(placesOf({ watched })(ingresses)).toStrictEqual(['shop']);
    expect(
      placesOf({ watched: resource({ apiVersion: 'v1', namespaces: ['shop'] }) })(ingresses),
    ).toBeUndefined();
  });

  it('of the configuration beside it, and of what is watched no more everywhere', () => {
    const own = { apiVersion: 'haproxy-haptic.org/v1alpha1', resources: 'haproxytemplateconfigs' };
    expect(placesOf({})(own)).toStrictEqual(['haptic']);
    expect(placesOf({})(ingresses)).toBeUndefined();
    expect(statusPlaces(() => undefined, { namespace: 'haptic' })(ingresses)).toBeUndefined();
  });
});

test('an inventory asks for nothing outside of the namespaces that it is given', async () => {
  const asked: string[] = [];
  const answers: Readonly<Record<string, object>> = {
    '/apis/example.com/v1': { resources: [{ kind: 'Widget', name: 'widgets', namespaced: true }] },
  };
  const transport: KubeTransport = {
    request: ({ path }) => {
      asked.push(path);
      const text = JSON.stringify(answers[path] ?? { metadata: { resourceVersion: '1' }, items: [] });
      const body = {
        text: () => Promise.resolve(text),
        [Symbol.asyncIterator]: () => [][Symbol.iterator]() as never,
      };
      return Promise.resolve({ ok: true, value: { status: 200, headers: {}, body } });
    },
    close: () => Promise.resolve(),
  };
  const objects = statusObjects(transport, { namespace: 'haptic', name: 'web' }, () => ['shop', 'blog']);
  const found = await objects.inventory(
    { apiVersion: 'example.com/v1', kind: 'Widget' },
    new AbortController().signal,
  );
  expect(found).toStrictEqual({ ok: true, value: new Map() });
  expect(asked.slice(1)).toStrictEqual([
    '/apis/example.com/v1/namespaces/shop/widgets',
    '/apis/example.com/v1/namespaces/blog/widgets',
  ]);
});
