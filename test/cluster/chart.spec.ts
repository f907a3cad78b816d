import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignCrds } from '../fixtures/chart/foreign-crds.ts';
import { helmMissing } from '../fixtures/chart/helm-missing.ts';
import { type Manifest, manifestKey } from '../fixtures/chart/manifest.ts';
import { chartDir, renderChart } from '../fixtures/chart/render-chart.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import { installCrds } from '../fixtures/install-crds.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

const files = readdirSync(path.join(chartDir, 'ci')).sort();
const missing = helmMissing(process.env);

/** What values ask for knowingly. */
const knownWarnings = [
  'Warning: spec.externalIPs is deprecated and may no longer be implemented in some clusters',
];

/** Values that take what the level "restricted" of Pod Security forbids: ports of the host, or containers of the user's. */
const openFiles = ['daemonset-host-ports-values.yaml', 'everything-values.yaml', 'host-network-values.yaml'];

/** A Service for clusters that have one family of addresses: no other can be tried there. */
function ofOneFamily(manifest: Manifest): Manifest {
  const { ipFamilies, ipFamilyPolicy: _policy, ...spec } = manifest.spec ?? {};
  return manifest.kind === 'Service' && Array.isArray(ipFamilies) ? { ...manifest, spec } : manifest;
}

describeOnCluster(
  'the chart, before a real API server',
  (cluster) => {
    let kubectl: Kubectl;
    let namespace: string;
    let hasTwoFamilies: boolean;
    /** CRDs and namespaces that only this spec needs. */
    const made: string[][] = [];

    beforeAll(async () => {
      kubectl = await cluster.kubectl();
      namespace = await createNamespace(kubectl);
      made.push(['namespace', namespace]);
      await kubectl.ok(['label', 'namespace', namespace, 'pod-security.kubernetes.io/warn=restricted']);
      await installCrds(kubectl);
      const families = await kubectl.ok([
        'get',
        'service',
        'kubernetes',
        '-n',
        'default',
        '-o',
        'jsonpath={.spec.ipFamilies}',
      ]);
      hasTwoFamilies = families.includes('IPv6') && families.includes('IPv4');
      for (const crd of foreignCrds) await makeUnlessThere('crd', crd.metadata.name, JSON.stringify(crd));
      const added = made.filter(([kind]) => kind === 'crd').map(([, name]) => `crd/${name}`);
      if (added.length > 0)
        await kubectl.ok(['wait', '--for=condition=Established', '--timeout=60s', ...added]);
    });
    afterAll(async () => {
      for (const [kind = '', name = ''] of made) await kubectl.ok(['delete', kind, name, '--wait=false']);
      await kubectl.close();
    });

    async function makeUnlessThere(kind: string, name: string, object: string): Promise<void> {
      if ((await kubectl.run(['get', kind, name])).code === 0) return;
      await kubectl.ok(['create', '-f', '-'], object);
      made.push([kind, name]);
    }

    /** What the API server says to each object, applied as Helm 4 does, which changes nothing. */
    async function judge(manifests: readonly Manifest[]) {
      const list = { apiVersion: 'v1', kind: 'List', items: manifests };
      const line = [
        'apply',
        '--server-side',
        '--dry-run=server',
        '--validate=strict',
        '--field-manager=helm',
        '-f',
        '-',
      ];
      return kubectl.run(line, JSON.stringify(list));
    }

    describe.each(files)('with the values of ci/%s', (file) => {
      it('is taken as it is, without a field that is unknown or a value that is wrong', async () => {
        const manifests = await renderChart({ file: `ci/${file}`, namespace });
        expect(manifests.length).toBeGreaterThan(10);
        for (const name of new Set(manifests.map(({ metadata }) => metadata.namespace)))
          if (name !== undefined)
            await makeUnlessThere(
              'namespace',
              name,
              JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
            );
        const { code, stdout, stderr } = await judge(hasTwoFamilies ? manifests : manifests.map(ofOneFamily));
        // What Pod Security would refuse, and what is deprecated, is told as a warning.
        const warnings = stderr
          .split('\n')
          .filter(
            (line) =>
              line !== '' &&
              !knownWarnings.includes(line) &&
              !(openFiles.includes(file) && line.includes('would violate PodSecurity')),
          );
        expect([warnings, code]).toStrictEqual([[], 0]);
        expect(stdout.trim().split('\n')).toHaveLength(manifests.length);
      });
    });

    it('is looked at: a field that is unknown, and a value that no schema allows, are refused', async () => {
      const manifests = await renderChart({ file: 'ci/default-values.yaml', namespace });
      const service = manifests.find(({ kind }) => kind === 'Service');
      if (service === undefined) throw new Error('the chart has no Service');
      const unknown = await judge([{ ...service, spec: { ...service.spec, selectr: {} } }]);
      expect(unknown.stderr).toContain('selectr');
      for (const [apiVersion, kind, spec] of [
        ['cert-manager.io/v1', 'Certificate', { secretName: 'x', issuerRef: { name: 'x' }, dnsName: ['x'] }],
        [
          'cert-manager.io/v1',
          'Certificate',
          { secretName: 'x', issuerRef: { name: 'x' }, usages: ['serverAuth'] },
        ],
        [
          'monitoring.coreos.com/v1',
          'PodMonitor',
          { selector: {}, podMetricsEndpoints: [{ interval: '30 s' }] },
        ],
        ['keda.sh/v1alpha1', 'ScaledObject', { scaleTargetRef: { name: 'x' } }],
      ] as const) {
        const { code } = await judge([{ apiVersion, kind, metadata: { name: 'x', namespace }, spec }]);
        expect(code, `${kind} ${JSON.stringify(spec)}`).not.toBe(0);
      }
      expect(manifestKey(service)).toMatch(/^Service /);
    });
  },
  missing,
);
