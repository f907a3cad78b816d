import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { applyCrdsCommand } from '../../src/cli/apply-crds-command.ts';
import { configViewCommand } from '../../src/cli/config-view-command.ts';
import { diffCommand } from '../../src/cli/diff-command.ts';
import { doctorCommand } from '../../src/cli/doctor-command.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';
import { callOf } from '../unit/cli/values-of.ts';

describeOnCluster('the command line', (cluster) => {
  let kubectl: Kubectl;
  let namespace: string;
  let folder: string;
  beforeAll(async () => {
    kubectl = await cluster.kubectl();
    namespace = await createNamespace(kubectl);
    folder = mkdtempSync(join(tmpdir(), 'haptic-cluster-cli-'));
    const applied = await callOf(applyCrdsCommand, ['--kubeconfig', cluster.kubeconfigPath]);
    expect(applied.err).toBe('');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await kubectl.close();
  });

  const put = (name: string, ...objects: readonly unknown[]): string => {
    const file = join(folder, name);
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    return file;
  };
  const apply = (name: string, ...objects: readonly unknown[]) =>
    kubectl.ok(['apply', '--server-side', '-f', put(name, ...objects)]);
  const doctor = async (...argv: readonly string[]) => {
    const line = [
      '--kubeconfig',
      cluster.kubeconfigPath,
      '--namespace',
      namespace,
      '-o',
      'json',
      '--no-agent-tls',
      ...argv,
    ];
    const { out } = await callOf(doctorCommand, [...line, '--url', 'http://127.0.0.1:1/debug']);
    const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
    return (check: string) => findings.filter((finding) => finding.check === check);
  };

  it('finds the CRDs that it applied to be of its own version, whatever the API server added to them', async () => {
    const of = await doctor();
    expect(of('kubernetes')).toMatchObject([{ status: 'ok' }]);
    expect(of('crds')).toMatchObject([{ status: 'ok' }]);
    expect(of('permissions')).toMatchObject([{ status: 'ok' }]);
    const dry = await callOf(applyCrdsCommand, ['--kubeconfig', cluster.kubeconfigPath, '--dry-run']);
    expect(dry.out).toMatch(/^(\S+ unchanged \(dry run\)\n)+$/);
  });

  it('tells which rights a service account lacks', async () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: namespace },
    };
    await apply(
      'rbac.yaml',
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'controller', namespace } },
      {
        ...role,
        rules: [
          {
            apiGroups: ['', 'networking.k8s.io'],
            resources: ['services', 'pods', 'ingresses', 'ingressclasses'],
            verbs: ['list', 'watch'],
          },
          { apiGroups: ['haproxy-haptic.org'], resources: ['*'], verbs: ['*'] },
        ],
      },
      {
        ...role,
        kind: 'ClusterRoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: namespace },
        subjects: [{ kind: 'ServiceAccount', name: 'controller', namespace }],
      },
    );
    const of = await doctor('--service-account', `${namespace}/controller`);
    const said = of('permissions').map(({ status, message }) => `${status}: ${message}`);
    const refused = (what: string) => `failed: ${namespace}/controller may not ${what}`;
    expect(said).toEqual(
      expect.arrayContaining([
        refused('list endpointslices.discovery.k8s.io'),
        refused('watch endpointslices.discovery.k8s.io'),
        refused(`get leases.coordination.k8s.io haptic-leader in ${namespace}`),
        refused('create events.events.k8s.io'),
        refused('patch ingresses/status.networking.k8s.io'),
      ]),
    );
    expect(said.join('\n')).not.toMatch(/services|haproxytemplate| pods/);
  });

  it('shows a configuration of the cluster, and what a change of it would do to the objects that are there', async () => {
    const spec = {
      podSelector: { matchLabels: { app: 'haproxy' } },
      haproxyConfig: {
        template:
          '{{#section "global"}}global\n  maxconn {{extraContext.maxconn}}\n{{/section}}' +
          '{{#forEach resources.maps as |m|}}{{mapEntry "maps/x.map" (mapKey m.metadata.name) (mapValue m.metadata.namespace)}}{{/forEach}}',
      },
      templatingSettings: { extraContext: { maxconn: 10 } },
      watchedResources: {
        maps: {
          apiVersion: 'v1',
          resources: 'configmaps',
          namespaces: [namespace],
          indexBy: ['metadata.name'],
        },
      },
    };
    await apply(
      'objects.yaml',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace } },
      {
        apiVersion: 'haproxy-haptic.org/v1alpha1',
        kind: 'HAProxyTemplateConfig',
        metadata: { name: 'main', namespace },
        spec,
      },
    );
    const view = await callOf(configViewCommand, [
      '--kubeconfig',
      cluster.kubeconfigPath,
      '--namespace',
      namespace,
      '--crd-name',
      'main',
    ]);
    expect([view.code, view.err]).toStrictEqual([0, '']);
    const before = join(folder, 'before.yaml');
    writeFileSync(before, view.out);
    const after = join(folder, 'after.yaml');
    writeFileSync(after, view.out.replace('maxconn: 10', 'maxconn: 20').replace('maps/x.map', 'maps/y.map'));
    const { code, out, err } = await callOf(diffCommand, [
      ...['--kubeconfig', cluster.kubeconfigPath, '--from', before, '--to', after, '--objects', 'cluster'],
    ]);
    expect([code, err]).toStrictEqual([0, '']);
    expect(out).toMatch(/: reload, HAProxy reloads\n {2}reason: /);
    expect(out).toContain('-  maxconn 10\n+  maxconn 20\n');
    expect(out).toContain(
      `--- /dev/null\n+++ b/maps/y.map\n@@ -0,0 +1,2 @@\n+kube-root-ca.crt ${namespace}\n+mine ${namespace}\n`,
    );
  });

  it("writes a bundle without the values of the cluster's Secrets", async () => {
    await apply('secret.yaml', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'planted', namespace },
      stringData: { word: 'planted-in-a-real-cluster' },
    });
    const values = put('values.yaml', {
      templatingSettings: { extraContext: { note: 'it is planted-in-a-real-cluster' } },
    });
    const file = join(folder, 'bundle.zip');
    await doctor('--values', values, '--bundle', file);
    const files = Object.entries(unzipSync(readFileSync(file))).map(
      ([name, bytes]) => [name, strFromU8(bytes)] as const,
    );
    expect(files.map(([name]) => name)).toContain('configuration.json');
    expect(Object.fromEntries(files)['configuration.json']).toContain('it is [redacted]');
    for (const [name, text] of files) expect(text, name).not.toContain('planted-in-a-real-cluster');
  });
});
