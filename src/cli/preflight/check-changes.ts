import { CodedError } from '../../lib/coded-error.ts';
import { clusterObjects } from '../diff/cluster-objects.ts';
import { compareSides } from '../diff/compare-sides.ts';
import { renderPath } from '../diff/path-sides.ts';
import type { Finding } from '../finding.ts';
import { newestLine } from '../newest-constants.ts';
import { record } from '../fields.ts';
import { changedPaths } from './changed-paths.ts';
import type { InstalledRelease } from './installed-release.ts';
import { isHook, type Manifest, manifestName } from './manifest.ts';
import type { Cluster } from './preflight-facts.ts';
import { resolveManifests } from './resolve-manifests.ts';
import { type Workload, workloadsOf } from './workload.ts';

const check = 'changes';
const most = 5;

/** What an upgrade would restart, delete, and change in HAProxy. */
export async function checkChanges(
  { kube }: Cluster,
  before: InstalledRelease,
  manifests: readonly Manifest[],
  { libraries, signal }: { readonly libraries: string; readonly signal: () => AbortSignal },
): Promise<readonly Finding[]> {
  const after = manifests.filter((manifest) => !isHook(manifest));
  const findings = [...restarts(before.manifests, after), ...deletions(before.manifests, after)];
  try {
    findings.push(...(await reloads()));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    findings.push({
      check,
      status: 'skipped',
      message: `what changes in HAProxy is not known: ${error.message}`,
    });
  }
  return findings.length > 0
    ? findings
    : [{ check, status: 'ok', message: 'nothing restarts, and HAProxy stays as it is' }];

  async function reloads(): Promise<readonly Finding[]> {
    const [old, next] = [
      await resolveManifests(before.manifests, libraries),
      await resolveManifests(after, libraries),
    ];
    if (old?.ok !== true || next?.ok !== true) return [];
    if (changedPaths(old.config, next.config).length === 0) return [];
    const sides = [];
    for (const { config } of [old, next]) {
      const fixtures = await clusterObjects(kube, config, signal());
      sides.push(
        await renderPath({ path: 'the configuration', config, fixtures }, { fixtures: {} }, newestLine),
      );
    }
    const [from, to] = sides;
    if (from === undefined || to?.plan === undefined) return [];
    const { verdict, reasons } = compareSides(from, { ...to, plan: to.plan }, {});
    if (verdict === 'reload')
      return [
        {
          check,
          status: 'warning',
          message: `the new configuration reloads HAProxy: ${reasons.slice(0, most).join('; ')}`,
          advice: 'connections live on in the old worker until hard-stop-after; haptic diff shows the files',
        },
      ];
    return [{ check, status: 'ok', message: `the new configuration takes no reload (${verdict})` }];
  }
}

/** Workloads whose pods are made anew. */
function restarts(before: readonly Manifest[], after: readonly Manifest[]): readonly Finding[] {
  const former = new Map(workloadsOf(before).map((workload) => [workload.name, workload]));
  return workloadsOf(after).flatMap((workload): readonly Finding[] => {
    const old = former.get(workload.name);
    if (old === undefined || workload.kind === 'Job' || workload.kind === 'CronJob') return [];
    if (changedPaths(selectorOf(old), selectorOf(workload)).length > 0)
      return [
        {
          check,
          status: 'failed',
          message: `${workload.name} would have another selector, which cannot be changed`,
          advice: 'delete it before the upgrade, or keep the values that its labels are made of',
        },
      ];
    const paths = changedPaths(old.template, workload.template);
    if (paths.length === 0) return [];
    return [
      {
        check,
        status: 'warning',
        message: `${workload.name} restarts its pods one after another: ${paths.slice(0, most).join(', ')}${paths.length > most ? `, and ${paths.length - most} more` : ''}`,
        advice: 'see in docs/upgrade.md what becomes of connections meanwhile',
      },
    ];
  });
}

/** Objects that the chart does not have any more: Helm deletes them, unless they say otherwise. */
function deletions(before: readonly Manifest[], after: readonly Manifest[]): readonly Finding[] {
  const kept = new Set(after.map(manifestName));
  const gone = before.filter(
    (manifest) =>
      !kept.has(manifestName(manifest)) &&
      manifest.metadata.annotations?.['helm.sh/resource-policy'] !== 'keep',
  );
  const crds = gone.filter(({ kind }) => kind === 'CustomResourceDefinition');
  // Another pod is another Job.
  const others = gone.filter(({ kind }) => kind !== 'CustomResourceDefinition' && kind !== 'Job');
  return [
    ...crds.map((crd): Finding => ({
      check,
      status: 'failed',
      message: `${manifestName(crd)} would be deleted, and with it every object of its kind`,
      advice: 'annotate it with helm.sh/resource-policy=keep first',
    })),
    ...(others.length > 0
      ? [
          {
            check,
            status: 'warning' as const,
            message: `would be deleted: ${others.map(manifestName).join(', ')}`,
            advice: 'keep the values that they are made of, if they are needed',
          },
        ]
      : []),
  ];
}

function selectorOf({ manifest }: Workload): unknown {
  return record(manifest['spec'])['selector'];
}
