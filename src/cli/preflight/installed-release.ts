import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { KubeObject } from '../../api/kube-object.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { record, textOf } from '../fields.ts';
import { type Manifest, readManifests } from './manifest.ts';

/** What Helm keeps of a release in a Secret. */
export interface InstalledRelease {
  /** Revision of the release, from 1. */
  readonly revision: number;
  /** `deployed`, `failed`, `pending-upgrade` */
  readonly status: string;
  readonly chartName: string;
  readonly chartVersion: string;
  readonly appVersion: string;
  /** The values that it was given; never shown. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Without hooks and CRDs of the chart's folder crds/. */
  readonly manifests: readonly Manifest[];
}

export type FoundRelease =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly reason: string }
  | {
      readonly kind: 'found';
      readonly newest: InstalledRelease;
      /** What is at work: the newest that was deployed, where the newest of all was not. */
      readonly deployed?: InstalledRelease;
    };

/** Revisions that are read: helm keeps ten unless told otherwise. */
const most = 3;

/** Looks up what Helm has installed under a name, from its Secrets. */
export async function installedRelease(
  kube: KubeClient,
  {
    release,
    namespace,
    signal,
  }: { readonly release: string; readonly namespace: string; readonly signal: AbortSignal },
): Promise<FoundRelease> {
  const secrets: KubeObject[] = [];
  const ref = { apiVersion: 'v1', resources: 'secrets', namespace };
  const labelSelector = `owner=helm,name=${release}`;
  for await (const page of kube.list(ref, { labelSelector, signal })) {
    if (!page.ok) return { kind: 'unknown', reason: describeFailure(page.failure) };
    secrets.push(...page.value.items);
  }
  const revisionOf = ({ metadata }: KubeObject) => Number(metadata.labels?.['version'] ?? 0);
  const newestFirst = secrets.sort((a, b) => revisionOf(b) - revisionOf(a));
  const isDeployed = ({ metadata }: KubeObject) => metadata.labels?.['status'] === 'deployed';
  const wanted = [...newestFirst.slice(0, 1), ...newestFirst.filter(isDeployed).slice(0, most)];
  const releases: InstalledRelease[] = [];
  for (const secret of new Set(wanted))
    try {
      releases.push(await decoded(secret));
    } catch {
      // The words of parsers would quote what is in it: values and Secrets.
      return { kind: 'unknown', reason: `Secret ${secret.metadata.name} is no release that can be read` };
    }
  const [newest] = releases;
  if (newest === undefined) return { kind: 'none' };
  const deployed = releases.find(({ status }) => status === 'deployed');
  return { kind: 'found', newest, ...(deployed && { deployed }) };
}

/** Base64 by Kubernetes, base64 by Helm, gzip, JSON. */
async function decoded(secret: KubeObject): Promise<InstalledRelease> {
  const { release } = record(secret['data']);
  if (typeof release !== 'string') throw new Error('it has no field release');
  const packed = Buffer.from(Buffer.from(release, 'base64').toString('latin1'), 'base64');
  const parsed = record(JSON.parse((await promisify(gunzip)(packed)).toString('utf8')));
  const about = record(record(parsed['chart'])['metadata']);
  return {
    revision: typeof parsed['version'] === 'number' ? parsed['version'] : 0,
    status: textOf(record(parsed['info'])['status']),
    ...{
      chartName: textOf(about['name']),
      chartVersion: textOf(about['version']),
      appVersion: textOf(about['appVersion']),
    },
    values: record(parsed['config']),
    manifests: readManifests(textOf(parsed['manifest'])),
  };
}
