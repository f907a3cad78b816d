import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { judgeAddress } from '../../../src/projections/endpoints/judge-address.ts';
import { buildFacts, factOptionsOf } from '../../../src/world/build-facts.ts';
import { createLiveStore } from '../../../src/world/live-store.ts';
import { endpointSlice, ingress, ingressClass, objectKey, service } from '../../fixtures/kube-objects.ts';

const configOf = (controller: object) =>
  loadConfig([
    {
      name: 'test',
      text: JSON.stringify({
        podSelector: { matchLabels: { app: 'haproxy' } },
        haproxyConfig: { template: 'global\n' },
        controller,
      }),
    },
  ]);

/** Servers of all backends by these settings, as `name address`. */
function serversOf(controller: object, objects: Readonly<Record<string, readonly KubeObject[]>>) {
  const stores = new Map(Object.keys(objects).map((name) => [name, createLiveStore(name)] as const));
  const { graph, collections, dispose } = buildFacts(stores, factOptionsOf(configOf(controller), {}));
  for (const [name, list] of Object.entries(objects)) {
    const live = stores.get(name);
    for (const object of list) live?.store.set(objectKey(object), object);
    live?.graph.advance();
  }
  graph.advance();
  const { backends } = collections;
  const found = backends.keys().flatMap((key) => {
    const { servers } = backends.peek(key) as {
      readonly servers: readonly { name: string; address: string }[];
    };
    return servers.map(({ name, address }) => `${name} ${address}`);
  });
  dispose();
  return found;
}

describe('facts by the settings of the controller', () => {
  const route = ingress({ rules: [{ host: 'a.example.com', paths: ['/'] }] });
  const inZone = (address: string, zone: string) => ({ address, hints: { forZones: [{ name: zone }] } });

  it('are of the endpoints of its zone', () => {
    const objects = {
      ingresses: [route],
      ingressclasses: [ingressClass()],
      services: [service()],
      endpointslices: [endpointSlice({ endpoints: [inZone('10.0.0.1', 'z1'), inZone('10.0.0.2', 'z2')] })],
    };
    expect(serversOf({}, objects)).toHaveLength(2);
    expect(serversOf({ zone: 'z2' }, objects)).toEqual(['pod-10-0-0-2 10.0.0.2']);
  });

  it('have the names outside of the cluster that it allows', () => {
    const objects = (externalName: string) => ({
      ingresses: [route],
      ingressclasses: [ingressClass()],
      services: [service({ type: 'ExternalName', externalName })],
      endpointslices: [],
    });
    expect(serversOf({}, objects('api.example.com'))).toEqual(['external 0.0.0.0']);
    expect(serversOf({ externalNames: { enabled: false } }, objects('api.example.com'))).toEqual([]);
    expect(serversOf({}, objects('db'))).toEqual([]);
    expect(serversOf({ externalNames: { allowedNames: ['db'] } }, objects('db'))).toEqual([
      'external 0.0.0.0',
    ]);
    expect(serversOf({ externalNames: { clusterDomain: 'k8s.test' } }, objects('a.b.svc.k8s.test'))).toEqual(
      [],
    );
    const near = objects('10.1.2.3');
    expect(serversOf({}, near)).toEqual([]);
    expect(serversOf({ externalNames: { allowedNetworks: ['10.1.0.0/16'] } }, near)).toEqual([
      '10.1.2.3 10.1.2.3',
    ]);
  });

  it('have no network that is none', () => {
    const options = (network: string) =>
      factOptionsOf(configOf({ externalNames: { allowedNetworks: [network] } }), {});
    expect(judgeAddress(options('FD12::/16').externalNames.rules, 'fd12::1')).toBe('allowed');
    for (const network of ['10.0.0.0/33', '1.2.3/8', 'fd00::/129']) {
      expect(() => options(network)).toThrow(
        `controller.externalNames.allowedNetworks[0]: "${network}" is no network`,
      );
    }
    expect(() => options('10.0.0.0')).toThrow(/allowedNetworks/);
  });
});
