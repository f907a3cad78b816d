import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

describeOnCluster('the API server that specs run on', (cluster) => {
  let kubectl: Kubectl;
  beforeAll(async () => {
    kubectl = await cluster.kubectl();
  });
  afterAll(() => kubectl.close());

  it('is ready and lets specs do everything', async () => {
    expect(await kubectl.ok(['get', '--raw', '/readyz'])).toBe('ok');
    expect((await kubectl.ok(['auth', 'can-i', '*', '*', '--all-namespaces'])).trim()).toBe('yes');
  });

  it('gives every spec a namespace of its own', async () => {
    const [one, other] = [await createNamespace(kubectl), await createNamespace(kubectl)];
    expect(one).not.toBe(other);
    await kubectl.ok(['delete', 'namespace', one, other, '--wait=false']);
  });
});
