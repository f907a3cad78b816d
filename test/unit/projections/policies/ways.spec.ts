import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { annotatedIngress } from '../../../fixtures/annotated-ingress.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';
import { createIngressWorld } from '../ingress-world.ts';

const world = (...objects: readonly KubeObject[]) =>
  createIngressWorld([
    ingressClass(),
    service({ name: 'web' }),
    endpointSlice({ service: 'web', endpoints: ['10.0.0.1'] }),
    ...objects,
  ]);

describe('ways to Services', () => {
  it('meet in one backend where routes, questions and copies go to the same', () => {
    const { problemLines, backends } = world(
      annotatedIngress('a.example.com', {
        'auth-url': 'svc://web:80/check',
        'mirror-target': 'svc://web:80',
      }),
      annotatedIngress('b.example.com', {}),
    );
    expect(problemLines()).toEqual([]);
    expect([...backends.keys()].filter((key) => key === 'shop_web_80')).toHaveLength(1);
  });

  it.each([
    [
      'auth-url',
      'svc://auth:80/check',
      'BackendMissing',
      'Service shop/auth does not exist: nobody is let in',
    ],
    [
      'auth-url',
      'svc://web:81/check',
      'PortMissing',
      'Service shop/web has no TCP port 81, only 80: nobody is let in',
    ],
    [
      'mirror-target',
      'svc://next:80',
      'BackendMissing',
      'Service shop/next does not exist: it gets no copies',
    ],
    [
      'mirror-target',
      'svc://other/next:80',
      'RefNotPermitted',
      'Service other/next is in another namespace than the Ingress, shop: it gets no copies',
    ],
  ])('are told of by their annotation where they lead nowhere: %s: %s', (key, value, reason, message) => {
    const { problems } = world(annotatedIngress('a.example.com', { [key]: value }));
    const field = `metadata.annotations["haproxy-haptic.org/${key}"]`;
    expect(problems()).toMatchObject([{ field, reason, message }]);
  });

  it('are told apart by what canaries go by, without a complaint', () => {
    const { problemLines, backends } = world(
      annotatedIngress('a.example.com', {}),
      ingress({
        name: 'canary',
        annotations: Object.fromEntries(
          Object.entries({ canary: 'true', 'canary-by-header': 'X-A', 'canary-by-cookie': 'a' }).map(
            ([key, value]) => [`haproxy-haptic.org/${key}`, value],
          ),
        ),
        rules: [{ host: 'a.example.com', paths: [{ path: '/', service: 'web' }] }],
      }),
    );
    expect(problemLines()).toEqual([]);
    expect([...backends.keys()]).toEqual(['shop_web_80']);
  });
});
