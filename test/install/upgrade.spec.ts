import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInstalled } from '../fixtures/install/describe-installed.ts';
import { formerCommit } from '../fixtures/install/former-commit.ts';
import { type FormerState, formerState } from '../fixtures/install/former-state.ts';
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
const commit = formerCommit(process.env);
const start = commit?.slice(0, 7) ?? 'a changed copy of the chart';
/** One for both; beneath the folder. */
let former: FormerState | undefined;
let folder: string | undefined;
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Helm 4 applies on the server's side, Helm 3 on its own: fields have other owners. */
const helms = [
  { line: 'Helm 4', program: process.env['HAPTIC_HELM'] ?? 'helm' },
  ...(process.env['HAPTIC_HELM3'] === undefined
    ? []
    : [{ line: 'Helm 3', program: process.env['HAPTIC_HELM3'] }]),
];

for (const { line, program: helm } of helms)
  describeInstalled(`an upgrade by ${line} from ${start}`, (cluster) => {
    const { kubectl } = cluster;
    const release: Release = {
      name: line === 'Helm 4' ? 'gate' : 'gate3',
      namespace: `haptic-upgrade-${line.slice(-1)}`,
    };
    let from: FormerState;
    let load: Load;
    const isCurrent = async () => (await kubectl(['get', 'crd', crd, '-o', 'json'])).includes(from.newInCrds);
    const installFormer = () =>
      installRelease({ ...cluster, image: from.image }, release, { chart: from.chart, helm });
    /** The controllers that are there now watch, render and deliver. */
    const changesGoOn = async (name: string) => {
      const own = `${name}.example.com`;
      const changed = { name, namespace: apps, host: own, service: 'site', ingressClass: fullname(release) };
      await cluster.apply(sampleRoute(changed));
      await load.answers(own, 200);
    };
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

    beforeAll(async () => {
      folder ??= await mkdtemp(path.join(tmpdir(), 'haptic-former-'));
      from = former ??= await formerState(cluster, commit, folder);
      await cluster.apply(secureNamespace(release.namespace), secureNamespace(apps));
      const { image } = cluster;
      await cluster.apply(...sample({ name: 'site', namespace: apps, image, replicas: 2, answer: 'site' }));
    });
    afterAll(async () => {
      await uninstallRelease(cluster, release);
      await kubectl(['delete', 'namespace', apps, release.namespace, '--wait']);
    });

    it('brings the CRDs along, and it and a rollback lose no request', async () => {
      await installFormer();
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
      await changesGoOn('upgraded');
      await load.more(300);

      await cluster.helm(
        ['rollback', release.name, '1', '-n', release.namespace, '--wait', '--timeout', '240s'],
        helm,
      );
      await settle();
      // A rollback takes no field away: there may be objects that have it.
      expect(await isCurrent()).toBe(true);
      await changesGoOn('rolled-back');
      await load.more(300);

      const { failed, reasons } = await load.end();
      expect({ failed, reasons }).toEqual({ failed: 0, reasons: {} });
    });

    it('can be installed anew with other CRDs, after an uninstall that leaves those of the upgrade', async () => {
      await uninstallRelease(cluster, release);
      await installFormer();
    });
  });
