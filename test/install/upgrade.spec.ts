import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInstalled } from '../fixtures/install/describe-installed.ts';
import { type Load, startLoad } from '../fixtures/install/load.ts';
import {
  fullname,
  installRelease,
  type Release,
  releaseUrl,
  uninstallRelease,
} from '../fixtures/install/release.ts';
import { sample, sampleRoute } from '../fixtures/install/sample.ts';
import { secureNamespace } from '../fixtures/install/secure-namespace.ts';

const apps = 'haptic-upgrade-apps';
const host = 'site.example.com';
const crd = 'haproxytemplateconfigs.haproxy-haptic.org';
const said = 'Time after which a pod that had nothing to do';

/** Helm 4 applies on the server's side, Helm 3 on its own: fields have other owners. */
const helms = [
  { line: 'Helm 4', program: process.env['HAPTIC_HELM'] ?? 'helm' },
  ...(process.env['HAPTIC_HELM3'] === undefined
    ? []
    : [{ line: 'Helm 3', program: process.env['HAPTIC_HELM3'] }]),
];

for (const { line, program: helm } of helms)
  describeInstalled(`an upgrade by ${line}`, (cluster) => {
    const { kubectl } = cluster;
    const release: Release = {
      name: line === 'Helm 4' ? 'gate' : 'gate3',
      namespace: `haptic-upgrade-${line.slice(-1)}`,
    };
    let former: string;
    let load: Load;
    const isCurrent = async () => (await kubectl(['get', 'crd', crd, '-o', 'json'])).includes(said);
    const settle = async () => {
      for (const part of ['controller', 'haproxy'])
        await kubectl([
          'rollout',
          'status',
          `deployment/${fullname(release)}-${part}`,
          '-n',
          release.namespace,
          '--timeout=240s',
        ]);
    };

    /** The chart as it may have been: another version, other CRDs, other arguments of the pods. */
    const formerChart = async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'haptic-former-chart-'));
      const edit = async (name: string, change: (text: string) => string) => {
        const file = path.join(folder, name);
        const text = await readFile(file, 'utf8');
        expect(change(text), name).not.toBe(text);
        await writeFile(file, change(text));
      };
      await cp(cluster.chart, folder, { recursive: true });
      await edit('Chart.yaml', (text) => text.replace(/^version: .*$/m, 'version: 0.0.1'));
      await edit('crds/haproxy-haptic.org_haproxytemplateconfigs.yaml', (text) =>
        text.replace(said, 'Former'),
      );
      await edit('values.yaml', (text) => text.replace('reloadIntervalMin: 5s', 'reloadIntervalMin: 4s'));
      return folder;
    };

    beforeAll(async () => {
      former = await formerChart();
      await cluster.apply(secureNamespace(release.namespace), secureNamespace(apps));
      const { image } = cluster;
      await cluster.apply(...sample({ name: 'site', namespace: apps, image, replicas: 2, answer: 'site' }));
    });
    afterAll(async () => {
      await uninstallRelease(cluster, release);
      await kubectl(['delete', 'namespace', apps, release.namespace, '--wait']);
      await rm(former, { recursive: true });
    });

    it('brings the CRDs along, and it and a rollback lose no request', async () => {
      await installRelease(cluster, release, { chart: former, helm });
      // Where CRDs were there already, Helm 3 leaves them.
      if (line === 'Helm 4') expect(await isCurrent()).toBe(false);
      const route = { name: 'site', namespace: apps, host, service: 'site', ingressClass: fullname(release) };
      await cluster.apply(sampleRoute(route));
      const probe = await startLoad(cluster, { name: 'probe', namespace: apps, url: releaseUrl(release) });
      await probe.answers(host, 200);
      await probe.end();
      load = await startLoad(cluster, {
        name: 'load',
        namespace: apps,
        url: releaseUrl(release),
        host,
        rate: 100,
      });

      await installRelease(cluster, release, { upgrade: true, helm });
      await settle();
      expect(await isCurrent()).toBe(true);
      await load.more(300);

      await cluster.helm(
        ['rollback', release.name, '1', '-n', release.namespace, '--wait', '--timeout', '240s'],
        helm,
      );
      await settle();
      // A rollback takes no field away: there may be objects that have it.
      expect(await isCurrent()).toBe(true);
      await load.more(300);

      const { failed, reasons } = await load.end();
      expect({ failed, reasons }).toEqual({ failed: 0, reasons: {} });
    });

    it('can be installed anew with other CRDs, after an uninstall that leaves those of the upgrade', async () => {
      await uninstallRelease(cluster, release);
      await installRelease(cluster, release, { chart: former, helm });
    });
  });
