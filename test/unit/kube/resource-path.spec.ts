import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourcePath } from '../../../src/kube/resource-path.ts';

describe('resourcePath', () => {
  it('follows the API’s layout', () => {
    const pods = { apiVersion: 'v1', resources: 'pods' };
    const ingresses = { apiVersion: 'networking.k8s.io/v1', resources: 'ingresses', namespace: 'shop' };
    expect(resourcePath(pods)).toBe('/api/v1/pods');
    expect(resourcePath(pods, 'p')).toBe('/api/v1/pods/p');
    expect(resourcePath(ingresses)).toBe('/apis/networking.k8s.io/v1/namespaces/shop/ingresses');
    expect(resourcePath(ingresses, 'front', 'status')).toBe(
      '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/front/status',
    );
  });

  it('lets no name reach another path', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (namespace, name) => {
        const path = resourcePath({ apiVersion: 'v1', resources: 'pods', namespace }, name);
        const parts = path.split('/');
        expect(parts).toHaveLength(7);
        expect(path).not.toMatch(/[?#\s]/);
        expect([parts[4], parts[6]].map((part) => decodeURIComponent(part!))).toEqual([namespace, name]);
      }),
    );
  });
});
