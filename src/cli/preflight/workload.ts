import { isRecord } from '../../lib/is-record.ts';
import { record } from '../fields.ts';
import { isHook, type Manifest, manifestName } from './manifest.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What makes pods, and the template of them. */
export interface Workload {
  /** `Deployment haptic/haptic-controller` */
  readonly name: string;
  readonly kind: string;
  readonly manifest: Manifest;
  /** Labels, annotations and spec of its pods. */
  readonly template: { readonly metadata: Fields; readonly spec: Fields };
  /** How many at the same time; of a DaemonSet, as many as there are nodes. */
  readonly replicas: number | 'nodes';
}

const kinds = ['Deployment', 'DaemonSet', 'StatefulSet', 'Job', 'CronJob', 'ReplicaSet', 'Pod'];

export function workloadsOf(manifests: readonly Manifest[]): readonly Workload[] {
  return manifests.flatMap((manifest) => {
    const { kind } = manifest;
    const podTemplate = templateOf(manifest);
    if (!kinds.includes(kind) || podTemplate === undefined) return [];
    const { metadata, spec } = podTemplate;
    if (!isRecord(spec)) return [];
    const replicas = record(manifest['spec'])['replicas'];
    return [
      {
        ...{ name: manifestName(manifest), kind, manifest },
        template: { metadata: record(metadata), spec },
        replicas:
          kind === 'DaemonSet' ? 'nodes' : typeof replicas === 'number' && !isHook(manifest) ? replicas : 1,
      },
    ];
  });
}

function templateOf(manifest: Manifest): Fields | undefined {
  const spec = record(manifest['spec']);
  if (manifest.kind === 'Pod') return { metadata: manifest.metadata, spec };
  const of = manifest.kind === 'CronJob' ? record(record(spec['jobTemplate'])['spec']) : spec;
  return isRecord(of['template']) ? of['template'] : undefined;
}
