import type { KubeObject } from '../../api/kube-object.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { record, records, textOf } from '../fields.ts';
import type { Finding } from '../finding.ts';
import type { Installation } from './installation.ts';

const check = 'workloads';
type Fields = Readonly<Record<string, unknown>>;

/** Reasons of the kubelet for which an image cannot be had. */
const imageReasons = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
];
const longestWords = 500;

/** Do the pods of the release run: are they made, scheduled, their images pulled, their containers up? */
export async function checkWorkloads(
  kube: KubeClient,
  { workloads, pods }: Pick<Installation, 'workloads' | 'pods'>,
  namespace: string,
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const findings = workloads.flatMap(ofWorkload);
  for (const pod of pods) {
    const { phase } = record(pod['status']);
    if (phase === 'Succeeded' || isReady(pod)) continue;
    const said = ofPod(pod);
    findings.push(...(said.length > 0 ? said : [await ofEvents(kube, pod, namespace, signal)]));
  }
  return findings.length > 0
    ? findings
    : [{ check, status: 'ok', message: `all ${pods.length} pods run and are ready` }];
}

function ofWorkload({ kind = '', metadata, spec, status }: KubeObject): readonly Finding[] {
  const what = `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
  const held = record(status);
  const condition = (type: string): Fields | undefined =>
    records(held['conditions']).find((one) => one['type'] === type && one['status'] === 'True');
  const failed = (message: string, advice: string): readonly Finding[] => [
    { check, status: 'failed', message: `${what} ${message}`, advice },
  ];
  const refused = condition('ReplicaFailure');
  if (refused !== undefined)
    return failed(
      `cannot make pods: ${words(refused['message'])}`,
      'see quotas, Pod Security and policies of the namespace',
    );
  if (kind === 'Job')
    return condition('Failed') === undefined
      ? []
      : failed(
          `failed: ${words(condition('Failed')?.['message'])}`,
          `kubectl logs -n ${metadata.namespace ?? ''} job/${metadata.name} has its words`,
        );
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  const wanted =
    kind === 'DaemonSet' ? number(held['desiredNumberScheduled']) : number(record(spec)['replicas'] ?? 1);
  const ready = kind === 'DaemonSet' ? number(held['numberReady']) : number(held['readyReplicas']);
  if (ready >= wanted) return [];
  return [
    {
      check,
      status: ready === 0 ? 'failed' : 'warning',
      message: `${what} has ${ready} of ${wanted} pods ready`,
      advice: 'what is said of its pods tells why',
    },
  ];
}

function isReady({ status }: KubeObject): boolean {
  return records(record(status)['conditions']).some(
    (one) => one['type'] === 'Ready' && one['status'] === 'True',
  );
}

/** What the pod itself says of why it is not ready. */
function ofPod({ metadata, status }: KubeObject): readonly Finding[] {
  const what = `pod ${metadata.namespace ?? ''}/${metadata.name}`;
  const held = record(status);
  const unscheduled = records(held['conditions']).find(
    (one) => one['type'] === 'PodScheduled' && one['status'] === 'False',
  );
  if (unscheduled !== undefined)
    return [
      {
        check,
        status: 'failed',
        message: `${what} has no node: ${words(unscheduled['message'])}`,
        advice: 'see requests, nodeSelector, tolerations and host ports in the values',
      },
    ];
  return [...records(held['initContainerStatuses']), ...records(held['containerStatuses'])].flatMap(
    (container) => {
      const found = ofContainer(container);
      return found === undefined ? [] : [{ ...found, message: `${what}: ${found.message}` }];
    },
  );
}

function ofContainer({ name, image, state, lastState, restartCount }: Fields): Finding | undefined {
  const container = textOf(name);
  const failed = (message: string, advice: string): Finding => ({ check, status: 'failed', message, advice });
  const { reason, message } = record(record(state)['waiting']);
  const why = textOf(reason);
  if (imageReasons.includes(why))
    return failed(
      `image ${textOf(image)} of container ${container} cannot be pulled (${why}): ${words(message)}`,
      'correct image.repository and image.tag in the values, or imagePullSecrets',
    );
  const restarts = typeof restartCount === 'number' ? restartCount : 0;
  const { exitCode, ...ended } = record(record(lastState)['terminated'] ?? record(state)['terminated']);
  if (why === 'CrashLoopBackOff' || (restarts > 0 && typeof exitCode === 'number')) {
    const isLarge = ended['reason'] === 'OOMKilled';
    const code = typeof exitCode === 'number' ? String(exitCode) : 'unknown';
    const last = textOf(ended['message']);
    return failed(
      `container ${container} ended ${restarts} times: ${isLarge ? 'it took more memory than its limit' : `exit code ${code}`}${last === '' ? '' : `: ${words(last)}`}`,
      isLarge ? 'raise its limit in the values' : 'kubectl logs --previous has its words',
    );
  }
  if (why !== '' && why !== 'ContainerCreating' && why !== 'PodInitializing')
    return failed(
      `container ${container} cannot start (${why}): ${words(message)}`,
      'see what it names: a Secret, a ConfigMap, a user',
    );
  return undefined;
}

/** The newest warning about a pod that says nothing itself: volumes that cannot be mounted, networks that are not there. */
async function ofEvents(
  kube: KubeClient,
  { metadata }: KubeObject,
  namespace: string,
  signal: () => AbortSignal,
): Promise<Finding> {
  const what = `pod ${namespace}/${metadata.name}`;
  let newest: KubeObject | undefined;
  const fieldSelector = `involvedObject.name=${metadata.name},type=Warning`;
  for await (const page of kube.list(
    { apiVersion: 'v1', resources: 'events', namespace },
    { fieldSelector, signal: signal() },
  )) {
    if (!page.ok) break;
    for (const event of page.value.items) if (timeOf(event) >= timeOf(newest)) newest = event;
  }
  return newest === undefined
    ? {
        check,
        status: 'warning',
        message: `${what} is not ready`,
        advice: 'kubectl describe pod tells more; it may only just have started',
      }
    : {
        check,
        status: 'failed',
        message: `${what} is not ready: ${textOf(newest['reason'])}: ${words(newest['message'])}`,
        advice: 'kubectl describe pod tells more',
      };
}

function timeOf(event: KubeObject | undefined): string {
  return (
    textOf(event?.['lastTimestamp']) ||
    textOf(event?.['eventTime']) ||
    (event?.metadata.creationTimestamp ?? '')
  );
}

function words(value: unknown): string {
  const text = textOf(value).replaceAll(/\s+/g, ' ').trim();
  return text.length > longestWords ? `${text.slice(0, longestWords - 1)}…` : text || 'no reason is given';
}
