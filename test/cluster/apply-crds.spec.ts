import { afterAll, beforeAll, expect, it } from 'vitest';
import { customResources } from '../../src/api/crd/custom-resources.ts';
import { applyCrds } from '../../src/kube/apply-crds.ts';
import { loadKubeConfig } from '../../src/kube/kube-config.ts';
import { kubeTransport, type KubeTransport } from '../../src/kube/kube-transport.ts';
import { describeOnCluster } from '../fixtures/control-plane.ts';
import { installCrds } from '../fixtures/install-crds.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

describeOnCluster('CRDs that the program applies', (cluster) => {
  let kubectl: Kubectl;
  let transport: KubeTransport;
  beforeAll(async () => {
    kubectl = await cluster.kubectl();
    transport = kubeTransport(loadKubeConfig({ kubeconfigPath: cluster.kubeconfigPath }));
  });
  afterAll(async () => {
    await transport.close();
    await kubectl.close();
  });

  const crd = 'haproxycfgs.haproxy-haptic.org';
  const outcomes = async () => {
    const done = await applyCrds(transport);
    if (!done.ok) throw new Error(JSON.stringify(done.failure));
    return Object.fromEntries(done.value.map(({ name, outcome }) => [name, outcome]));
  };

  it('are served when it is done, and applied again they are the same', async () => {
    expect(Object.keys(await outcomes())).toHaveLength(customResources.length);
    for (const { plural } of customResources)
      expect((await kubectl.run(['get', plural, '-n', 'default'])).code, plural).toBe(0);
    expect(new Set(Object.values(await outcomes()))).toStrictEqual(new Set(['unchanged']));
  });

  it('are those of the chart, whoever applies them', async () => {
    await installCrds(kubectl);
    expect(new Set(Object.values(await outcomes()))).toStrictEqual(new Set(['unchanged']));
  });

  it('stay as they are where they are of a later version, unless that is asked for', async () => {
    const label = 'app.kubernetes.io/version';
    const aliases = async () =>
      kubectl.ok(['get', 'crd', crd, '-o', 'jsonpath={.spec.names.shortNames} {.metadata.labels}']);
    await kubectl.ok([
      'patch',
      'crd',
      crd,
      '--type=merge',
      '-p',
      JSON.stringify({
        metadata: { labels: { [label]: '99.1.0' } },
        spec: { names: { shortNames: ['hpcfg', 'later'] } },
      }),
    ]);
    expect(await outcomes()).toMatchObject({
      [crd]: 'newer',
      'haproxymapfiles.haproxy-haptic.org': 'unchanged',
    });
    expect(await aliases()).toContain('later');
    const forced = await applyCrds(transport, { force: true });
    expect(forced.ok && forced.value.find(({ name }) => name === crd)?.outcome).toBe('changed');
    expect(await aliases()).not.toMatch(/later|99/);
  });

  it('are brought back where somebody changed them; labels of others stay', async () => {
    await kubectl.ok(['label', 'crd', crd, 'example.com/team=web', '--overwrite']);
    await kubectl.ok([
      'patch',
      'crd',
      crd,
      '--type=json',
      '-p',
      JSON.stringify([{ op: 'replace', path: '/spec/names/shortNames', value: ['wrong'] }]),
    ]);
    expect(await outcomes()).toMatchObject({
      [crd]: 'changed',
      'haproxymapfiles.haproxy-haptic.org': 'unchanged',
    });
    const text = await kubectl.ok([
      'get',
      'crd',
      crd,
      '-o',
      'jsonpath={.spec.names.shortNames} {.metadata.labels}',
    ]);
    expect(text).toContain('["hpcfg"]');
    expect(text).toContain('"example.com/team":"web"');
    await kubectl.ok(['label', 'crd', crd, 'example.com/team-']);
  });
});
