import { setTimeout } from 'node:timers/promises';
import { customResourceDefinition } from '../api/crd/custom-resource-definition.ts';
import { customResources } from '../api/crd/custom-resources.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';
import { kubeClient } from './kube-client.ts';
import type { KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import { newerVersion } from './newer-version.ts';

export interface AppliedCrd {
  /** `haproxycfgs.haproxy-haptic.org` */
  readonly name: string;
  /** `newer`: it is of a later version, and was left as it is. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'newer';
}

export interface ApplyCrdsOptions {
  readonly signal?: AbortSignal;
  /** Longest wait, in milliseconds, until the API server serves them. Default 30 s. */
  readonly timeoutMs?: number;
  /** Milliseconds between two looks. Default 200. */
  readonly intervalMs?: number;
  /** Has the API server check them, and changes nothing: the outcomes are what would be done. */
  readonly dryRun?: boolean;
  /** Sets back those of a later version, too: fields that this one does not know are lost. */
  readonly force?: boolean;
}

const crds = { apiVersion: 'apiextensions.k8s.io/v1', resources: 'customresourcedefinitions' };

/** Helm applies the chart's CRDs at every install. Were they somebody else's, it would refuse to install a chart whose CRDs differ. */
const helm = 'helm';

/**
 * Brings the CRDs of this version to the cluster, by server-side apply as `helm`, and waits until each is served. Fields that
 * somebody else holds are taken over; labels and annotations of others stay. Objects are never touched. Those of a later version stay as
 * they are: a cluster may have installations of several versions, and the newest needs them. The first failure ends it: what was applied
 * before stays, and it can be run again.
 *
 * @returns what was done, in the order of the names; a 409 of reason `NamesNotAccepted` where another CRD has a kind or a short name
 */
export async function applyCrds(
  transport: KubeTransport,
  { signal, timeoutMs = 30_000, intervalMs = 200, dryRun = false, force = false }: ApplyCrdsOptions = {},
): Promise<KubeResult<readonly AppliedCrd[]>> {
  const client = kubeClient(transport);
  const options = signal === undefined ? {} : { signal };
  const applied: AppliedCrd[] = [];
  for (const crd of customResources.map(customResourceDefinition)) {
    const { name } = crd.metadata;
    const before = await client.get(crds, name, options);
    if (!before.ok && !(before.failure.kind === 'http' && before.failure.status === 404)) return before;
    if (before.ok && !force && newerVersion(before.value) !== undefined) {
      applied.push({ name, outcome: 'newer' });
      continue;
    }
    const after = await client.apply(crds, crd, { fieldManager: helm, force: true, dryRun, ...options });
    if (!after.ok) return after;
    applied.push({ name, outcome: outcomeOf(before.ok ? before.value : undefined, after.value) });
  }
  const started = performance.now();
  for (const { name } of dryRun ? [] : applied)
    for (;;) {
      const held = await client.get(crds, name, options);
      if (!held.ok) return held;
      const state = stateOf(held.value);
      if (state === 'served') break;
      if (state !== 'waiting') return refused('NamesNotAccepted', 409, `${name}: ${state.problem}`);
      if (performance.now() - started > timeoutMs)
        return refused('Timeout', 504, `${name} was applied, but the API server does not serve it yet`);
      try {
        await setTimeout(intervalMs, undefined, options);
      } catch {
        return { ok: false, failure: { kind: 'aborted' } };
      }
    }
  return { ok: true, value: applied.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function outcomeOf(before: KubeObject | undefined, after: KubeObject): AppliedCrd['outcome'] {
  if (before === undefined) return 'created';
  return before.metadata.generation === after.metadata.generation ? 'unchanged' : 'changed';
}

function stateOf(crd: KubeObject): 'served' | 'waiting' | { readonly problem: string } {
  const status = crd['status'];
  const listed: unknown = isRecord(status) ? status['conditions'] : undefined;
  const conditions = (Array.isArray(listed) ? listed : []).filter(isRecord);
  const find = (type: string) => conditions.find((condition) => condition['type'] === type);
  const names = find('NamesAccepted');
  if (names?.['status'] === 'False') return { problem: String(names['message']) };
  return find('Established')?.['status'] === 'True' ? 'served' : 'waiting';
}

function refused(reason: string, status: number, message: string): KubeResult<never> {
  return { ok: false, failure: { kind: 'http', status, reason, message } };
}
