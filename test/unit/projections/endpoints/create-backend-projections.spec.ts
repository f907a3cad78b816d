import { expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { createGraph } from '../../../../src/collections/create-graph.ts';
import type { BackendRef } from '../../../../src/projections/backend-ref.ts';
import { addressRules } from '../../../../src/projections/endpoints/address-rules.ts';
import { createBackendProjections } from '../../../../src/projections/endpoints/create-backend-projections.ts';
import type { PolicyShape } from '../../../../src/projections/policies/policy-shape.ts';
import { service } from '../../../fixtures/kube-objects.ts';

/** The backend of an ExternalName Service whose profile is of this shape. */
function backendOf(shape: PolicyShape | undefined) {
  const graph = createGraph();
  const services = graph.source<KubeObject>('services');
  const refs = graph.source<BackendRef>('refs');
  const externalNames = {
    enabled: true,
    allowedNames: [],
    clusterDomain: 'cluster.local',
    rules: addressRules([]),
  };
  const { backends } = createBackendProjections(
    graph,
    {
      refs,
      services,
      endpointslices: graph.source<KubeObject>('endpointslices'),
      secrets: { trust: graph.source('trust'), identities: graph.source('identities') },
    },
    { plainProfile: 'haptic-http', externalNames },
  );
  services.set('shop/echo', service({ type: 'ExternalName', externalName: 'api.example.com' }));
  refs.set('key', {
    namespace: 'shop',
    service: 'echo',
    port: 80,
    ...(shape && { profile: { name: 'some', shape } }),
  });
  graph.advance();
  return backends.peek('key');
}

it('gives a name outside of the cluster a server only with the rules that find and judge its address', () => {
  expect(backendOf({ external: true })?.servers).toMatchObject([{ address: '0.0.0.0', port: 80 }]);
  expect(backendOf({ timeoutServer: '5s' })?.servers).toEqual([]);
  expect(backendOf(undefined)).toMatchObject({ servers: [] });
});
