import { expect, it } from 'vitest';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import { type Manifest, manifestKey } from '../fixtures/chart/manifest.ts';
import { at, isSelected, podsOf } from '../fixtures/chart/pods-of.ts';
import { type RenderOptions, renderChart } from '../fixtures/chart/render-chart.ts';

/** At most so many characters; 63 for what is a label or a host name. */
const limits: Readonly<Record<string, number>> = {
  CronJob: 52,
  Job: 63,
  Service: 63,
  Deployment: 63,
  DaemonSet: 63,
};
const long = 'a-release-whose-name-is-as-long-as-helm-lets-it-be-no';
const everything = {
  monitoring: {
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
    grafanaDashboard: { enabled: true },
  },
  defaultSSLCertificate: { enabled: true, certManager: { enabled: true } },
  gatewayClass: { enabled: true },
};

const certManager = { agentTls: { mode: 'certManager' }, webhook: { certificate: 'certManager' } };
/** Classes are of the whole cluster: of two releases of one name, one has to name its own. */
const classes = (name: string) => ({ ingressClass: { name }, gatewayClass: { enabled: true, name } });

describeChart('two releases', () => {
  it.each<[string, RenderOptions, RenderOptions]>([
    ['in one namespace', { release: 'shop' }, { release: 'web' }],
    [
      'of one name, in two namespaces',
      { namespace: 'one', values: classes('one') },
      { namespace: 'two', values: classes('two') },
    ],
    ['whose names differ in what is cut off', { release: long }, { release: `${long.slice(0, 52)}x` }],
    [
      'whose names and namespaces run into each other',
      { release: 'b-c', namespace: 'a' },
      { release: 'c', namespace: 'a-b' },
    ],
    [
      'with certificates of cert-manager',
      { release: 'shop', values: certManager },
      { release: 'web', values: certManager },
    ],
  ])('%s touch nothing of each other', async (_name, first, second) => {
    const one = await renderChart({ ...first, values: { ...everything, ...first.values } });
    const two = await renderChart({ ...second, values: { ...everything, ...second.values } });

    const taken = new Set(one.map(manifestKey));
    expect(two.map(manifestKey).filter((key) => taken.has(key))).toEqual([]);
    expect(leasesOf(one)).not.toEqual(leasesOf(two));
    if (first.namespace === second.namespace) {
      expect(strangersOf(one, two)).toEqual([]);
      expect(strangersOf(two, one)).toEqual([]);
    }
    expect(certificateNames(one).filter((name) => certificateNames(two).includes(name))).toEqual([]);
  });

  it('serve IngressClasses of their own', async () => {
    const classesOf = (manifests: readonly Manifest[]) =>
      manifests.flatMap(({ kind, spec }) =>
        kind === 'HAProxyTemplateConfig'
          ? [at(spec, 'watchedResources', 'ingressclasses')?.['fieldSelector']]
          : [],
      );
    expect(classesOf(await renderChart({ release: 'shop' }))).toEqual(['metadata.name=shop-haptic']);
    expect(classesOf(await renderChart({ release: 'web' }))).toEqual(['metadata.name=web-haptic']);
  });
});

describeChart('names', () => {
  it.each([
    ['a long release', { release: long }],
    ['a long fullnameOverride', { values: { ...everything, fullnameOverride: 'x'.repeat(200) } }],
    ['a long nameOverride', { values: { ...everything, nameOverride: 'y'.repeat(63) } }],
  ])('of %s fit, and are whole words of the API', async (_name, options) => {
    const manifests = await renderChart({ values: everything, ...options, isUpgrade: true });
    expect(manifests.length).toBeGreaterThan(40);
    for (const { kind, metadata } of manifests) {
      expect(metadata.name.length, metadata.name).toBeLessThanOrEqual(limits[kind] ?? 253);
      expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
      for (const value of Object.values(metadata.labels ?? {})) expect(value.length).toBeLessThanOrEqual(63);
    }
    for (const { labels } of podsOf(manifests))
      for (const value of Object.values(labels)) expect(value.length).toBeLessThanOrEqual(63);
  });

  it('begin with the release alone where it says haptic', async () => {
    const names = (await renderChart({ release: 'haptic' })).map(({ metadata }) => metadata.name);
    expect(names).toContain('haptic-controller');
    expect(names.filter((name) => name.includes('haptic-haptic'))).toEqual([]);
  });
});

/** Pods of one release that something of the other selects. */
function strangersOf(selecting: readonly Manifest[], others: readonly Manifest[]) {
  const pods = podsOf(others);
  return selecting.flatMap((manifest) => {
    const selectors = [
      at(manifest.spec, 'podSelector', 'matchLabels'),
      at(manifest.spec, 'selector', 'matchLabels'),
      manifest.kind === 'Service' ? at(manifest.spec, 'selector') : undefined,
    ].filter((selector) => selector !== undefined);
    return selectors.flatMap((selector) =>
      pods
        .filter(({ labels }) => isSelected(selector, labels))
        .map(({ owner }) => `${manifestKey(manifest)} selects ${owner}`),
    );
  });
}

function leasesOf(manifests: readonly Manifest[]) {
  return manifests.flatMap(({ kind, metadata, spec }) =>
    kind === 'HAProxyTemplateConfig'
      ? [`${metadata.namespace ?? ''}/${String(at(spec, 'controller', 'leaderElection')?.['leaseName'])}`]
      : [],
  );
}

/** DNS names by which the sides know each other. */
function certificateNames(manifests: readonly Manifest[]) {
  return podsOf(manifests).flatMap(({ containers }) =>
    containers.flatMap(({ args }) =>
      (Array.isArray(args) ? args : []).flatMap(
        (arg) => /^--(?:agent-tls-server-name|tls-client-name)=(.*)/.exec(String(arg))?.slice(1) ?? [],
      ),
    ),
  );
}
