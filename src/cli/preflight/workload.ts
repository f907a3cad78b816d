import { isRecord } from '../../lib/is-record.ts';
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

/** All containers of a pod's spec, those that prepare it first. */
export function containersOf(spec: Fields): readonly Fields[] {
  return ['initContainers', 'containers'].flatMap((field) => records(spec[field]));
}

export function records(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function record(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function templateOf(manifest: Manifest): Fields | undefined {
  const spec = record(manifest['spec']);
  if (manifest.kind === 'Pod') return { metadata: manifest.metadata, spec };
  const of = manifest.kind === 'CronJob' ? record(record(spec['jobTemplate'])['spec']) : spec;
  return isRecord(of['template']) ? of['template'] : undefined;
}
