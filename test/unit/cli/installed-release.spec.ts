import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { installedRelease } from '../../../src/cli/preflight/installed-release.ts';
import type { KubeClient } from '../../../src/kube/kube-client.ts';

/** As Helm keeps a release: gzip, Base64 by Helm, Base64 by Kubernetes. */
function kept(text: string) {
  const release = Buffer.from(gzipSync(text).toString('base64')).toString('base64');
  return { metadata: { name: 'sh.helm.release.v1.haptic.v1', labels: { version: '1' } }, data: { release } };
}

const look = (text: string) => {
  const list: KubeClient['list'] = async function* () {
    await Promise.resolve();
    yield { ok: true, value: { items: [kept(text)], resourceVersion: '1' } };
  };
  return installedRelease({ list } as KubeClient, {
    release: 'haptic',
    namespace: 'ns',
    signal: new AbortController().signal,
  });
};

it.each([
  ['JSON', '{"config":{"password":hunter2}}'],
  ['a manifest in YAML', JSON.stringify({ manifest: 'data:\n  password: "hunter2\n  other: [\n' })],
])('a release without %s that can be read is told without a word of it', async (_what, text) => {
  const found = await look(text);
  expect(found.kind).toBe('unknown');
  expect(JSON.stringify(found)).toContain('Secret sh.helm.release.v1.haptic.v1');
  expect(JSON.stringify(found)).not.toContain('hunter2');
});
