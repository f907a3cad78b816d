import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import { type Manifest, manifestKey } from '../fixtures/chart/manifest.ts';
import { at, isSelected, listAt, podsOf } from '../fixtures/chart/pods-of.ts';
import { addedApis, chartDir, helmOf, renderChart } from '../fixtures/chart/render-chart.ts';

const files = readdirSync(path.join(chartDir, 'ci')).map((name) => `ci/${name}`);
const clusterKinds = [
  'ClusterRole',
  'ClusterRoleBinding',
  'IngressClass',
  'GatewayClass',
  'ValidatingWebhookConfiguration',
];
/** Objects of `extraObjects` are the user's. */
const isOurs = ({ metadata: { name } }: Manifest) => !/^shop-(more|text)$/.test(name);

describeChart('the chart', () => {
  it.each([3, 4] as const)('has nothing that helm %i would have otherwise', async (line) => {
    const { stdout } = await promisify(execFile)(helmOf(line), ['lint', '--strict', chartDir]);
    expect(stdout).toContain('0 chart(s) failed');
  });
});

describeChart('values of', () => {
  describe.each(files)('%s', (file) => {
    let manifests: readonly Manifest[];
    beforeAll(async () => {
      manifests = (await renderChart({ file })).filter(isOurs);
    });

    it('make the same in Helm 3 and 4', async () => {
      const former = (await renderChart({ file, helm: 3 })).filter(isOurs);
      expect(byKey(former)).toEqual(byKey(manifests));
    });

    it('name every object once', () => {
      const keys = manifests.map(manifestKey);
      expect(keys).toEqual([...new Set(keys)]);
    });

    it('say of every object whose it is', () => {
      for (const manifest of manifests) {
        const { labels = {}, namespace } = manifest.metadata;
        expect(labels, manifestKey(manifest)).toMatchObject({
          'app.kubernetes.io/name': 'haptic',
          'app.kubernetes.io/instance': 'shop',
          'app.kubernetes.io/part-of': 'haptic',
          'app.kubernetes.io/version': '0.1.0',
          'app.kubernetes.io/managed-by': 'Helm',
          'helm.sh/chart': 'haptic-0.1.0',
        });
        expect(labels['app.kubernetes.io/component']).toMatch(/^[a-z-]+$/);
        expect(namespace === undefined, manifestKey(manifest)).toBe(clusterKinds.includes(manifest.kind));
      }
    });

    it('select nothing by what changes with a version', () => {
      for (const { owner, labels } of podsOf(manifests))
        expect(Object.keys(labels), owner).not.toContain('app.kubernetes.io/version');
      expect(JSON.stringify(selectorsOf(manifests))).not.toMatch(/version|helm\.sh/);
    });

    it('select the pods of one component, and all of them', () => {
      const pods = podsOf(manifests);
      for (const { by, selector } of selectorsOf(manifests)) {
        const found = pods.filter(({ labels }) => isSelected(selector, labels));
        expect(
          found.map(({ owner }) => owner.split(' ')[0]),
          by,
        ).toEqual([expect.stringMatching(/^(Deployment|DaemonSet)$/)]);
      }
    });

    it('lead every port of a Service to a port of its pods', () => {
      const pods = podsOf(manifests);
      for (const service of manifests.filter(({ kind }) => kind === 'Service')) {
        const selector = at(service.spec, 'selector') ?? {};
        const ports = pods
          .filter(({ labels }) => isSelected(selector, labels))
          .flatMap(({ containers }) => containers.flatMap((container) => listAt(container, 'ports')));
        for (const { targetPort } of listAt(service.spec, 'ports'))
          expect(
            ports.some(({ name, containerPort }) => targetPort === name || targetPort === containerPort),
            `${manifestKey(service)} ${String(targetPort)}`,
          ).toBe(true);
      }
    });

    it('probe ports that are there', () => {
      for (const { owner, containers } of podsOf(manifests))
        for (const container of containers)
          for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
            const asked = at(container, probe, 'httpGet');
            if (asked === undefined) continue;
            expect(
              listAt(container, 'ports').map(({ name }) => name),
              `${owner} ${probe}`,
            ).toContain(asked['port']);
          }
    });

    it('keep to the restricted Pod Security Standard', () => {
      for (const { owner, spec, containers } of podsOf(manifests)) {
        expect(at(spec, 'securityContext'), owner).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of containers.filter(
          ({ image }) => !String(image).includes('registry.example.com/'),
        ))
          expect(at(container, 'securityContext'), owner).toMatchObject({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
      }
    });

    it('mount what the chart makes, or what is named in the values', () => {
      const made = new Set(manifests.map(manifestKey));
      const named = new Set(['agents', 'controllers', 'webhook']);
      const byCertManager = manifests
        .filter(({ kind }) => kind === 'Certificate')
        .map(({ spec }) => String(spec?.['secretName']));
      for (const { owner, namespace, spec } of podsOf(manifests)) {
        if (owner.startsWith('Deployment') || owner.startsWith('DaemonSet'))
          expect(made, owner).toContain(`ServiceAccount ${namespace}/${String(spec['serviceAccountName'])}`);
        for (const volume of listAt(spec, 'volumes')) {
          const map = at(volume, 'configMap')?.['name'];
          if (typeof map === 'string') expect(made, owner).toContain(`ConfigMap ${namespace}/${map}`);
          for (const source of listAt(at(volume, 'projected'), 'sources')) {
            const secret = String(at(source, 'secret')?.['name']);
            expect(
              made.has(`Secret ${namespace}/${secret}`) ||
                named.has(secret) ||
                byCertManager.includes(secret),
              `${owner}: ${secret}`,
            ).toBe(true);
          }
        }
      }
    });

    it('bind roles that are there to accounts that are there', () => {
      const made = new Set(manifests.map(manifestKey));
      for (const binding of manifests.filter(({ roleRef }) => roleRef !== undefined)) {
        const { kind = '', name = '' } = binding.roleRef ?? {};
        const namespace = kind === 'Role' ? (binding.metadata.namespace ?? '') : '';
        expect(made).toContain(`${kind} ${namespace}/${name}`);
        for (const subject of binding.subjects ?? [])
          expect(made).toContain(`${subject.kind} ${subject.namespace ?? ''}/${subject.name}`);
      }
    });
  });

  it('are those of all modes: each API that can be asked for is used', async () => {
    const used = new Set(
      (await Promise.all(files.map((file) => renderChart({ file }))))
        .flat()
        .map(({ apiVersion }) => apiVersion),
    );
    for (const api of addedApis) expect(used).toContain(api.replace(/\/GatewayClass$/, ''));
  });
});

/** Selectors of pods, of everything that has one. */
function selectorsOf(manifests: readonly Manifest[]) {
  return manifests.flatMap((manifest) => {
    const { spec, kind } = manifest;
    const selector =
      kind === 'Service'
        ? at(spec, 'selector')
        : kind === 'NetworkPolicy'
          ? at(spec, 'podSelector', 'matchLabels')
          : kind === 'HAProxyTemplateConfig'
            ? at(spec, 'podSelector', 'matchLabels')
            : ['Deployment', 'DaemonSet', 'PodDisruptionBudget', 'PodMonitor'].includes(kind)
              ? at(spec, 'selector', 'matchLabels')
              : undefined;
    return selector === undefined ? [] : [{ by: manifestKey(manifest), selector }];
  });
}

function byKey(manifests: readonly Manifest[]) {
  return Object.fromEntries(manifests.map((manifest) => [manifestKey(manifest), manifest]));
}
