import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInstalled } from '../fixtures/install/describe-installed.ts';
import { type Load, startLoad } from '../fixtures/install/load.ts';
import { installRelease, type Release, releaseUrl, uninstallRelease } from '../fixtures/install/release.ts';
import { sample, sampleRoute } from '../fixtures/install/sample.ts';
import { secureNamespace } from '../fixtures/install/secure-namespace.ts';

const namespace = 'haptic-releases';
const apps = 'haptic-releases-apps';
// 53 characters, which is the most that Helm takes.
const inner: Release = { name: `inner-${'x'.repeat(47)}`, namespace };
const outer: Release = { name: 'outer', namespace };
const one = ['replicaCount=1', 'haproxy.replicaCount=1'];

describeInstalled('two releases in one namespace, one of the longest name', (cluster) => {
  const { kubectl, list } = cluster;
  let clients: Record<'inner' | 'outer', Load>;
  const serviceOf = async ({ name }: Release) => {
    const found = await list(
      'services',
      namespace,
      `app.kubernetes.io/instance=${name},app.kubernetes.io/component=haproxy`,
    );
    return found[0]?.metadata.name ?? '';
  };
  const podsOf = async ({ name }: Release) =>
    (await list('pods', namespace, `app.kubernetes.io/instance=${name}`))
      .filter(({ status }) => status?.['phase'] === 'Running')
      .map(({ metadata }) => metadata.uid)
      .sort();
  const classOf = async ({ name }: Release) => {
    const found = await list('ingressclasses', '', `app.kubernetes.io/instance=${name}`);
    return found[0]?.metadata.name ?? '';
  };

  beforeAll(async () => {
    await cluster.apply(secureNamespace(namespace), secureNamespace(apps));
    const { image } = cluster;
    await cluster.apply(...sample({ name: 'site', namespace: apps, image, replicas: 1, answer: 'site' }));
    await installRelease(cluster, outer, { sets: one });
    await installRelease(cluster, inner, { sets: one });
    const url = `http://${await serviceOf(inner)}.${namespace}.svc/`;
    clients = {
      inner: await startLoad(cluster, { name: 'inner', namespace: apps, url }),
      outer: await startLoad(cluster, { name: 'outer', namespace: apps, url: releaseUrl(outer) }),
    };
  });
  afterAll(async () => {
    await kubectl(['delete', 'namespace', apps, '--wait']);
    await uninstallRelease(cluster, outer);
    await kubectl(['delete', 'namespace', namespace, '--wait']);
  });

  it('each serves its own class, and neither serves the other’s', async () => {
    const route = (name: string, ingressClass: string) =>
      sampleRoute({ name, namespace: apps, host: `${name}.example.com`, service: 'site', ingressClass });
    await cluster.apply(route('of-inner', await classOf(inner)), route('of-outer', await classOf(outer)));
    await clients.inner.answers('of-inner.example.com', 200);
    await clients.outer.answers('of-outer.example.com', 200);
    expect(await clients.inner.get('of-outer.example.com')).toMatchObject({ status: 404 });
    expect(await clients.outer.get('of-inner.example.com')).toMatchObject({ status: 404 });
  });

  it('the end of one is nothing to the other', async () => {
    const before = await podsOf(outer);
    expect(before).toHaveLength(2);
    await clients.inner.end();
    await uninstallRelease(cluster, inner);
    expect(await podsOf(outer)).toEqual(before);
    expect(await clients.outer.get('of-outer.example.com')).toMatchObject({ status: 200 });
    const route = { name: 'later', namespace: apps, host: 'later.example.com', service: 'site' };
    await cluster.apply(sampleRoute({ ...route, ingressClass: await classOf(outer) }));
    await clients.outer.answers('later.example.com', 200);
  });
});
