import { expect, it } from 'vitest';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import type { Manifest, Rule } from '../fixtures/chart/manifest.ts';
import { renderChart } from '../fixtures/chart/render-chart.ts';

/** What a role of the controller grants, one line for each kind of object: `list,watch services (core)`. */
function grantsOf(
  manifests: readonly Manifest[],
  kind: 'ClusterRole' | 'Role',
  namespace?: string,
): readonly string[] {
  return manifests
    .filter(
      (manifest) =>
        manifest.kind === kind &&
        manifest.metadata.labels?.['app.kubernetes.io/component'] === 'controller' &&
        (namespace === undefined || manifest.metadata.namespace === namespace),
    )
    .flatMap(({ rules = [] }) => rules.flatMap(grantsOfRule))
    .sort();
}

function grantsOfRule({ apiGroups, resources, resourceNames, verbs }: Rule): readonly string[] {
  return apiGroups.flatMap((group) =>
    resources.map(
      (resource) =>
        `${resource}${group === '' ? '' : `.${group}`}: ${verbs.join(' ')}${resourceNames === undefined ? '' : ` (${resourceNames.join(' ')})`}`,
    ),
  );
}

const always = [
  'customresourcedefinitions.apiextensions.k8s.io: list watch',
  'events.events.k8s.io: create patch get list',
  'subjectaccessreviews.authorization.k8s.io: create',
  'tokenreviews.authentication.k8s.io: create',
];
const webhook = [
  'validatingwebhookconfigurations.admissionregistration.k8s.io: patch (shop-haptic-webhook.edge)',
];

describeChart('the controller may', () => {
  it('read in the whole cluster what the shipped libraries watch, of Secrets those that are named', async () => {
    expect(grantsOf(await renderChart(), 'ClusterRole')).toEqual(
      [
        ...always,
        ...webhook,
        'endpointslices.discovery.k8s.io: list watch',
        'ingressclasses.networking.k8s.io: list watch',
        'ingresses.networking.k8s.io: list watch',
        'ingresses/status.networking.k8s.io: patch',
        'secrets: get list watch',
        'services: list watch',
      ].sort(),
    );
  });

  it('write in its own namespace', async () => {
    expect(grantsOf(await renderChart(), 'Role')).toEqual(
      [
        'configmaps: get patch (shop-haptic-config-statuses shop-haptic-config-own-resources)',
        'haproxycfgs.haproxy-haptic.org: get list create patch delete',
        'haproxycfgs/status.haproxy-haptic.org: patch',
        'haproxycrtlistfiles.haproxy-haptic.org: get list create patch delete',
        'haproxygeneralfiles.haproxy-haptic.org: get list create patch delete',
        'haproxymapfiles.haproxy-haptic.org: get list create patch delete',
        'haproxytemplateconfigs.haproxy-haptic.org: get list watch',
        'haproxytemplateconfigs/status.haproxy-haptic.org: patch (shop-haptic-config)',
        'haproxytemplatelibraries.haproxy-haptic.org: list watch',
        'leases.coordination.k8s.io: create',
        'leases.coordination.k8s.io: get list watch update (shop-haptic-leader)',
        'pods: list watch',
        'secrets: get list create patch delete',
        'secrets: get update (shop-haptic-webhook-tls shop-haptic-webhook-tls-issuer)',
      ].sort(),
    );
  });

  it('do no more than what is left, where little is wanted', async () => {
    const manifests = await renderChart({ file: 'ci/narrow-values.yaml' });
    expect(grantsOf(manifests, 'ClusterRole')).toEqual(
      [
        ...always,
        'ingressclasses.networking.k8s.io: list watch',
        'ingresses/status.networking.k8s.io: patch',
      ].sort(),
    );
    for (const namespace of ['shop', 'web'])
      expect(grantsOf(manifests, 'Role', namespace)).toEqual([
        'endpointslices.discovery.k8s.io: list watch',
        'ingresses.networking.k8s.io: list watch',
        'services: list watch',
      ]);
    expect(grantsOf(manifests, 'Role', 'edge').filter((grant) => grant.startsWith('secrets'))).toEqual([]);
  });

  it('read one by one what is stored on demand, and what a configuration adds', async () => {
    const grants = grantsOf(await renderChart({ file: 'ci/everything-values.yaml' }), 'ClusterRole');
    expect(grants).toEqual(
      expect.arrayContaining([
        'configmaps: get list create patch delete',
        'gadgets.example.com: list',
        'namespaces: list watch',
        'secrets: get list watch',
        'widgets.example.com: list watch',
        'widgets/status.example.com: patch',
      ]),
    );
    expect(grants.filter((grant) => grant.startsWith('widgets.'))).toHaveLength(1);
  });

  it('watch nothing that no library asks for', async () => {
    const values = {
      controller: { templateLibraries: { ssl: { enabled: false }, ingress: { enabled: false } } },
      webhook: { enabled: false },
    };
    expect(grantsOf(await renderChart({ values }), 'ClusterRole')).toEqual(always);
  });
});

describeChart('nobody else may', () => {
  it('do anything with a token of a HAProxy pod, which has none', async () => {
    const bound = (await renderChart()).flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));
    expect(bound).not.toContain('shop-haptic-haproxy');
  });

  it('have any verb or kind by an asterisk', async () => {
    for (const file of ['ci/default-values.yaml', 'ci/everything-values.yaml'])
      for (const { rules = [] } of await renderChart({ file }))
        expect(JSON.stringify(rules)).not.toContain('*');
  });
});
