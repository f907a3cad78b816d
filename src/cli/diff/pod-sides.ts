import { firstValueFrom } from 'rxjs';
import type { KubeObject } from '../../api/kube-object.ts';
import type { AgentClient } from '../../fleet/agent-client.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { decodePlan } from '../../plan/decode-plan.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';
import { baselineOf, driftedFiles, isConverged, knowledgeFromState } from '../../sinks/pod-knowledge.ts';
import { admitPod } from '../../streams/admit-pod.ts';
import type { Side } from './side.ts';

export interface PodDeps {
  readonly kube: KubeClient;
  readonly agents: Pick<AgentClient, 'state'>;
  /** Of the agents. */
  readonly port: number;
  readonly signal: AbortSignal;
}

/**
 * One pod by its name.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_KUBE` when it cannot be read, `HAPTIC_ERR_CLI_POD` when it cannot be asked
 */
export async function namedPod(deps: PodDeps, namespace: string, name: string): Promise<HaproxyPod> {
  const { kube, signal, port } = deps;
  const found = await kube.get({ apiVersion: 'v1', resources: 'pods', namespace }, name, { signal });
  if (!found.ok)
    throw new CodedError(
      'HAPTIC_ERR_CLI_KUBE',
      `pod ${namespace}/${name}: ${describeFailure(found.failure)}`,
    );
  return admitted(found.value, port);
}

/** All pods with the labels that can be asked; throws `HAPTIC_ERR_CLI_POD` when there is none. */
export async function selectedPods(
  { kube, signal, port }: PodDeps,
  labelSelector: string,
  namespace: string | undefined,
): Promise<readonly HaproxyPod[]> {
  const pods: HaproxyPod[] = [];
  const ref = { apiVersion: 'v1', resources: 'pods', ...(namespace !== undefined && { namespace }) };
  for await (const page of kube.list(ref, { signal, labelSelector })) {
    if (!page.ok)
      throw new CodedError('HAPTIC_ERR_CLI_KUBE', `pods cannot be listed: ${describeFailure(page.failure)}`);
    for (const object of page.value.items) {
      const admission = admitPod(object, port);
      if (admission.kind === 'admitted') pods.push(admission.pod);
    }
  }
  if (pods.length > 0) return pods.sort((a, b) => (a.key < b.key ? -1 : 1));
  throw new CodedError('HAPTIC_ERR_CLI_POD', `no HAProxy pod with the labels ${labelSelector} can be asked`);
}

/** What a pod says that it holds and runs. Rejects with the agent client's `HAPTIC_ERR_AGENT_*`. */
export async function podSide({ agents, signal }: PodDeps, pod: HaproxyPod): Promise<Side> {
  const state = await firstValueFrom(agents.state(pod, { plan: true }));
  signal.throwIfAborted();
  const knowledge = knowledgeFromState(state, Date.now());
  const plan = await keptPlan(state.applied_plan, signal);
  const known = plan?.id === state.applied_plan_id ? plan : undefined;
  return {
    name: `pod://${pod.key}`,
    pod: pod.key,
    ...(known && { plan: known }),
    baseline: baselineOf(knowledge, (id) => (id === known?.id ? known : undefined)),
    isTorn: !isConverged(knowledge, state.applied_plan_id) && state.reload_pending_at === undefined,
    drifted: known === undefined ? [] : driftedFiles(knowledge, known),
    problems: [],
  };
}

async function keptPlan(blob: string | undefined, signal: AbortSignal): Promise<Plan | undefined> {
  if (blob === undefined) return undefined;
  const decoded = await decodePlan(Buffer.from(blob, 'base64'), signal);
  return decoded.kind === 'decoded' ? decoded.plan : undefined;
}

const reasons = {
  no_address: 'it has no IP yet',
  agent_missing: 'it has no container named agent',
  agent_not_running: 'its agent does not run',
  agent_not_answering: 'its agent does not answer',
} as const;

function admitted(object: KubeObject, port: number): HaproxyPod {
  const admission = admitPod(object, port);
  if (admission.kind === 'admitted' || admission.kind === 'leaving') return admission.pod;
  const reason = admission.kind === 'gone' ? 'it is over' : reasons[admission.reason];
  const { namespace = '', name } = object.metadata;
  throw new CodedError('HAPTIC_ERR_CLI_POD', `pod ${namespace}/${name} cannot be asked: ${reason}`);
}
