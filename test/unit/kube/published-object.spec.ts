import { describe, expect, it } from 'vitest';
import {
  configurationValue,
  knownPublished,
  publishedKinds,
  publishedManifest,
  type PublishedObject,
} from '../../../src/kube/published-object.ts';

const objectOf = (more: Partial<PublishedObject> = {}): PublishedObject => ({
  kind: 'map',
  name: 'web-hosts-map-1',
  path: '/etc/haproxy/maps/hosts.map',
  fileName: 'hosts.map',
  digest: 'd',
  checksum: 'sha256:0',
  text: 'a b\n',
  compressed: false,
  ...more,
});
const owner = { kind: 'HAProxyCfg', name: 'web-haproxycfg', uid: 'u' } as const;
const whose = { namespace: 'ns', configuration: 'web', owner };

describe('publishedManifest', () => {
  it('names kind, place and owner, and says whose it is', () => {
    expect(publishedManifest(objectOf(), { ...whose, uid: 'known' })).toStrictEqual({
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyMapFile',
      metadata: {
        name: 'web-hosts-map-1',
        namespace: 'ns',
        uid: 'known',
        labels: {
          'app.kubernetes.io/managed-by': 'haptic',
          'haproxy-haptic.org/template-config': 'web',
          'haproxy-haptic.org/type': 'map-file',
        },
        annotations: {
          'haproxy-haptic.org/manifest-digest': 'd',
          'haproxy-haptic.org/checksum': 'sha256:0',
        },
        ownerReferences: [
          {
            apiVersion: 'haproxy-haptic.org/v1alpha1',
            kind: 'HAProxyCfg',
            name: 'web-haproxycfg',
            uid: 'u',
            controller: true,
            blockOwnerDeletion: false,
          },
        ],
      },
      spec: {
        path: '/etc/haproxy/maps/hosts.map',
        checksum: 'sha256:0',
        compressed: false,
        mapName: 'hosts.map',
        entries: 'a b\n',
      },
    });
  });

  it('has content in a Secret alone where it may hold a key', () => {
    const { spec, data, type, metadata } = publishedManifest(
      objectOf({ kind: 'secret', text: 'KEY' }),
      whose,
    );
    expect({ spec, data, type }).toStrictEqual({
      spec: undefined,
      type: 'Opaque',
      data: { certificate: 'S0VZ', path: Buffer.from('/etc/haproxy/maps/hosts.map').toString('base64') },
    });
    expect(metadata.annotations).toMatchObject({ 'haproxy-haptic.org/compressed': 'false' });
  });

  it.each(publishedKinds)(
    'makes a %s that is known again as it was written, by who it belongs to',
    (kind) => {
      const { metadata } = publishedManifest(objectOf({ kind, oversized: 9 }), whose);
      const read = { ...metadata, uid: 'x', resourceVersion: '7', generation: 2 };
      const known = {
        kind,
        name: 'web-hosts-map-1',
        uid: 'x',
        resourceVersion: '7',
        generation: 2,
        digest: 'd',
        checksum: 'sha256:0',
        oversized: true,
      };
      expect(knownPublished(kind, read, { configuration: 'web', ownerUid: 'u' })).toStrictEqual(known);
      expect(knownPublished(kind, read, { configuration: 'web' })).toStrictEqual(known);
      expect(knownPublished(kind, read, { configuration: 'web', ownerUid: 'other' })).toBeUndefined();
      expect(knownPublished(kind, read, { configuration: 'other', ownerUid: 'u' })).toBeUndefined();
      const { labels: _labels, ...unlabelled } = read;
      expect(knownPublished(kind, unlabelled, { configuration: 'web', ownerUid: 'u' })).toBeUndefined();
    },
  );
});

describe('configurationValue', () => {
  it('is a label, and tells long names apart', () => {
    expect(configurationValue('web')).toBe('web');
    const [a, b] = ['a', 'b'].map((end) => configurationValue(`${'x'.repeat(45)}-.${'y'.repeat(60)}${end}`));
    expect(a).toMatch(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/);
    expect(a).not.toBe(b);
  });
});
