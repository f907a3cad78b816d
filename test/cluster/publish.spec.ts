import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { publishedObjects } from '../../src/kube/published-objects.ts';
import type { PublishedObject } from '../../src/kube/published-object.ts';
import { describeOnCluster } from '../fixtures/control-plane.ts';
import { createPublishScene, patience, statusOf } from '../fixtures/publish-scene.ts';
import { publishSuite } from '../fixtures/publish-suite.ts';

describeOnCluster('what is published on a real API server', (cluster) => {
  publishSuite(() => cluster.kubeconfig);

  describe('as kubectl and the server see it', () => {
    it('has columns, is managed by field, and is refused by its size with a word that is understood', async () => {
      const scene = await createPublishScene(cluster.kubeconfig);
      const kubectl = await cluster.kubectl();
      try {
        await scene.installCrds();
        await scene.makeNamespace();
        await scene.applyConfig();
        await scene.addPod('haproxy-0');
        await scene.put('one', 'first');
        scene.start();
        await expect
          .poll(
            async () => statusOf(await scene.read('config', 'web-haproxycfg')).deployedToPods?.length,
            patience,
          )
          .toBe(1);
        const get = (...words: readonly string[]) => kubectl.ok(['get', '-n', scene.namespace, ...words]);
        const columns = (await get('hpcfg')).split('\n').map((line) => line.trim().split(/ {2,}/));
        expect(columns[0]).toStrictEqual(['NAME', 'CHECKSUM', 'SIZE', 'AGE']);
        expect(columns[1]?.slice(0, 2)).toStrictEqual([
          'web-haproxycfg',
          expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        ]);
        expect(Number(columns[1]?.[2])).toBeGreaterThan(100);
        expect(await get('hpmap')).toMatch(/hosts\.map +\/etc\/haproxy\/maps\/hosts\.map/);
        const fields = await get('hpcfg', 'web-haproxycfg', '--show-managed-fields', '-o', 'json');
        const { metadata } = JSON.parse(fields) as {
          readonly metadata: { readonly managedFields: readonly { manager: string; subresource?: string }[] };
        };
        expect(
          metadata.managedFields.map(({ manager, subresource = '' }) => `${manager} ${subresource}`).sort(),
        ).toStrictEqual(['haptic ', 'haptic-status status']);

        const objects = publishedObjects(scene.transport, {
          namespace: scene.namespace,
          name: 'web',
          isObject: false,
        });
        const { signal } = new AbortController();
        const large = (kind: PublishedObject['kind'], bytes: number): PublishedObject => ({
          kind,
          name: `large-${kind.toLowerCase()}-${bytes}`,
          path: '/x',
          fileName: 'x',
          digest: 'd',
          checksum: `sha256:${'0'.repeat(64)}`,
          text: randomBytes(bytes / 2).toString('hex'),
          compressed: false,
        });
        for (const [kind, bytes] of [
          ['general', 2_000_000],
          ['general', 4_000_000],
          ['secret', 1_100_000],
        ] as const)
          expect(await objects.apply(large(kind, bytes), { known: undefined }, signal)).toMatchObject({
            ok: false,
            trouble: { kind: 'too_large', reason: 'ContentTooLarge' },
          });
        // What is taken for small enough is taken.
        for (const [kind, bytes] of [
          ['general', 1_400_000],
          ['secret', 1_000_000],
        ] as const)
          expect(await objects.apply(large(kind, bytes), { known: undefined }, signal)).toMatchObject({
            ok: true,
          });
      } finally {
        await scene.close();
        await kubectl.close();
      }
    });
  });
});
