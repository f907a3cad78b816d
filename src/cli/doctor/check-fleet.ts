import { firstValueFrom, takeUntil, fromEvent, throwIfEmpty } from 'rxjs';
import { describeFailure } from '../../kube/kube-failure.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { errorMessage } from '../../lib/error-message.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';
import { planSchemaVersion } from '../../protocol/plan.ts';
import { apiVersion, type AgentState } from '../../protocol/wire.ts';
import { admitPod } from '../../streams/admit-pod.ts';
import { version } from '../../lib/version.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';

/** A HAProxy pod, and what its agent says. */
export interface ExaminedPod {
  readonly pod: HaproxyPod;
  readonly state?: AgentState;
}

const reasons = {
  no_address: ['has no IP yet', 'kubectl describe pod tells why it does not start'],
  agent_missing: [
    'has no container named agent',
    'see podSelector of the configuration: it selects pods that are none of ours',
  ],
  agent_not_running: ['has an agent that does not run', 'see the log of its container agent'],
  agent_not_answering: ['has an agent that does not answer', 'see the log of its container agent'],
} as const;

/** Which HAProxy pods are there, do their agents answer, are they of this version, and is all well with them? */
export async function checkFleet(
  deps: DoctorDeps,
): Promise<{ readonly findings: readonly Finding[]; readonly pods: readonly ExaminedPod[] }> {
  const check = 'pods';
  const { kube, config, namespace, signal } = deps;
  if (config === undefined)
    return {
      findings: [{ check, status: 'skipped', message: 'no configuration tells which they are' }],
      pods: [],
    };
  const labelSelector = Object.entries(config.podSelector.matchLabels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
  const findings: Finding[] = [];
  const pods: ExaminedPod[] = [];
  for await (const page of kube.list(
    { apiVersion: 'v1', resources: 'pods', namespace },
    { labelSelector, signal: signal() },
  )) {
    if (!page.ok)
      return {
        findings: [
          { check, status: 'skipped', message: `pods cannot be listed: ${describeFailure(page.failure)}` },
        ],
        pods,
      };
    for (const object of page.value.items) {
      const admission = admitPod(object, config.dataplane.port);
      if (admission.kind === 'rejected') {
        const [what, advice] = reasons[admission.reason];
        findings.push({
          check,
          status: 'failed',
          message: `${namespace}/${object.metadata.name} ${what}`,
          advice,
        });
      } else if (admission.kind === 'admitted') {
        const examined = await examine(deps, admission.pod);
        findings.push(...examined.findings);
        pods.push(examined.pod);
      }
    }
  }
  if (findings.length === 0)
    findings.push({
      check,
      status: 'failed',
      message: `there is no HAProxy pod with ${labelSelector} in ${namespace}`,
      advice: 'compare podSelector of the configuration with the labels of the pods',
    });
  return { findings, pods };
}

async function examine(
  { agents, agentFailure, signal }: DoctorDeps,
  pod: HaproxyPod,
): Promise<{ readonly findings: readonly Finding[]; readonly pod: ExaminedPod }> {
  const check = 'pods';
  if (agents === undefined) {
    const message = `${pod.key} is there; its agent cannot be asked: ${agentFailure ?? ''}`;
    return { findings: [{ check, status: 'skipped', message }], pod: { pod } };
  }
  let state: AgentState;
  try {
    state = await firstValueFrom(
      agents.state(pod, { verify: true }).pipe(
        takeUntil(fromEvent(signal(), 'abort')),
        throwIfEmpty(() => new CodedError('HAPTIC_ERR_CLI_POD', 'it did not answer in time')),
      ),
    );
  } catch (error) {
    const advice = 'see port, network policies and certificates between here and there';
    return {
      findings: [{ check, status: 'failed', message: `${pod.key}: ${errorMessage(error)}`, advice }],
      pod: { pod },
    };
  }
  return { findings: findingsOf(check, pod, state), pod: { pod, state } };
}

function findingsOf(check: string, { key }: HaproxyPod, state: AgentState): readonly Finding[] {
  const findings: Finding[] = [];
  const warn = (message: string, advice: string) =>
    void findings.push({ check, status: 'warning', message: `${key} ${message}`, advice });
  if (state.api_version !== apiVersion || state.plan_schema_version !== planSchemaVersion)
    warn(
      `has an agent of another protocol (${state.agent_version})`,
      'it gets the complete state with a reload each time: give both the same release',
    );
  else if (state.agent_version !== version)
    warn(
      `has an agent ${state.agent_version}, and this is ${version}`,
      'that works; an upgrade may be under way',
    );
  if (state.running_plan_id !== state.applied_plan_id && state.reload_pending_at === undefined)
    warn(
      'runs something else than it holds',
      'it is reloaded at the next delivery; see its log if that lasts',
    );
  const failure = state.last_apply?.error;
  if (failure !== undefined)
    warn(
      `refused its last apply in stage ${failure.stage}`,
      'haptic agent state in the pod, and haptic tap deliveries, have the words',
    );
  if (state.invariant_violation !== undefined)
    warn(
      `found something that must never be: ${state.invariant_violation}`,
      'please report it with haptic doctor --bundle',
    );
  const { full_version: haproxy } = state.haproxy;
  if (findings.length === 0)
    findings.push({
      check,
      status: 'ok',
      message: `${key} answers: agent ${state.agent_version}, HAProxy ${haproxy}`,
    });
  return findings;
}
