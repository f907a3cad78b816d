import { describe, expect, it } from 'vitest';
import { annotatedIngress } from '../../../fixtures/annotated-ingress.ts';
import { createIngressRenderer } from '../../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingressClass, service } from '../../../fixtures/kube-objects.ts';

const optional = ['ssl', 'policies', 'policies-access', 'policies-requests', 'ingress'];
/** Every choice of libraries over the base. */
const choices = Array.from({ length: 2 ** optional.length }, (_, bits) =>
  optional.filter((_name, at) => (bits >> at) % 2 === 1),
);

describe('libraries', () => {
  it.each(choices.map((names) => [names.join(', ') || 'base alone', names] as const))(
    'need no others but the base: %s',
    (_title, names) => {
      const renderer = createIngressRenderer({
        libraries: ['base', ...names],
        capabilities: { version: '3.4.7', guid: true },
      });
      renderer.put(
        ingressClass(),
        service({ name: 'web' }),
        endpointSlice({ service: 'web', endpoints: ['10.0.0.1'] }),
        annotatedIngress('shop.example.com', {
          'auth-url': 'svc://web:80/check',
          'mirror-target': 'svc://web:80',
          'limit-rps': '5',
          'ssl-redirect': 'true',
          'cors-enable': 'true',
        }),
      );
      expect(renderer.bundle().problems).toEqual([]);
    },
  );
});
