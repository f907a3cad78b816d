import { expect, it } from 'vitest';
import { kindOf } from '../../../src/validation/kind-of.ts';

it.each([
  ['services', 'Service'],
  ['ingresses', 'Ingress'],
  ['ingressclasses', 'IngressClass'],
  ['endpointslices', 'EndpointSlice'],
  ['endpoints', 'Endpoints'],
  ['networkpolicies', 'NetworkPolicy'],
  ['httproutes', 'HTTPRoute'],
  ['gateways', 'Gateway'],
  ['configmaps', 'ConfigMap'],
  ['secrets', 'Secret'],
  ['widgets', 'Widget'],
  ['policies', 'Policy'],
  ['boxes', 'Box'],
])('the kind of %s is %s', (plural, kind) => {
  expect(kindOf(plural)).toBe(kind);
});
