import type { FromSchema } from '../../api/from-schema.ts';
import type { deployedToPodsSchema } from '../../api/schema/deployed-to-pods-schema.ts';
import type { DeliveryAcked, DeliveryReport } from '../../protocol/delivery-report.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';

/** What is told of one pod in `status.deployedToPods`. */
export type DeployedPod = FromSchema<typeof deployedToPodsSchema>[number];

/** By `podName`. */
export type DeployedPods = ReadonlyMap<string, DeployedPod>;

const most = { reasons: 8, reason: 1024, error: 4096 };
const few = 128;

/**
 * What is known of the pods after a report. The same map when it tells nothing new: a pass over a pod that had nothing to do.
 *
 * @param podName of the pod, see {@link podNameOf}
 * @param now ISO 8601
 */
export function withReport(
  pods: DeployedPods,
  podName: string,
  report: DeliveryReport,
  now: string,
): DeployedPods {
  const known = pods.get(podName);
  const former = known?.podUID === report.pod.uid ? known : undefined;
  const next = afterReport(former, identityOf(podName, report.pod), report, now);
  return next === former ? pods : new Map(pods).set(podName, next);
}

/** The pod's name; with the namespace, where it is not that of the configuration. */
export function podNameOf(key: string, namespace: string): string {
  return key.startsWith(`${namespace}/`) ? key.slice(namespace.length + 1) : key;
}

function identityOf(podName: string, { uid, containerId }: HaproxyPod) {
  return { podName, podUID: uid, podRuntimeID: containerId };
}

function afterReport(
  former: DeployedPod | undefined,
  identity: DeployedPod & ReturnType<typeof identityOf>,
  report: DeliveryReport,
  now: string,
): DeployedPod {
  const {
    lastError: _error,
    lastErrorAt: _errorAt,
    consecutiveErrors: errors = 0,
    ...rest
  } = former ?? identity;
  switch (report.kind) {
    case 'acked': {
      if (former !== undefined && isNoNews(former, identity, report)) return former;
      const isThere = isWhereItWas(former, identity, report) && wasIdle(report);
      const kept = rest.appliedPlanID === report.planId ? rest : withoutChecksum(rest);
      return {
        ...kept,
        ...identity,
        ...(isThere ? recovered(rest, report) : deploymentOf(report, now)),
        ...rolesOf(rest, report),
      };
    }
    case 'reverted':
      return {
        ...withoutChecksum(rest),
        ...identity,
        appliedPlanID: report.lkgPlanId,
        runningPlanID: report.lkgPlanId,
        mode: 'rejected',
        reasons: [`HAProxy refuses ${report.planId}: the pod went back`],
        deployedAt: now,
        syncDuration: millisecondsOf(report.tookMs),
      };
    case 'failed':
      return {
        ...rest,
        ...identity,
        ...(report.stage === 'rejected' && { mode: 'rejected' as const }),
        lastError: `${report.stage}: ${report.message}`.slice(0, most.error),
        lastErrorAt: now,
        consecutiveErrors: errors + 1,
      };
  }
}

/** What it has come to is not rejected. */
function recovered({ mode }: Partial<DeployedPod>, report: DeliveryAcked) {
  return mode === 'rejected' ? { mode: report.mode, reasons: [] } : {};
}

function withoutChecksum({ checksum: _checksum, ...rest }: Partial<DeployedPod>): Partial<DeployedPod> {
  return rest;
}

function rolesOf(former: Partial<DeployedPod>, { planId, converged }: DeliveryAcked) {
  const runningPlanID = converged ? planId : former.runningPlanID;
  return { appliedPlanID: planId, ...(runningPlanID !== undefined && { runningPlanID }) };
}

function deploymentOf({ mode, reasons, reloaded, tookMs }: DeliveryAcked, now: string) {
  return {
    mode,
    reasons: shortened(reasons),
    deployedAt: now,
    syncDuration: millisecondsOf(tookMs),
    ...(reloaded && { lastReloadAt: now }),
  };
}

function isWhereItWas(
  former: DeployedPod | undefined,
  { podRuntimeID }: ReturnType<typeof identityOf>,
  { planId, converged }: DeliveryAcked,
): boolean {
  return (
    former?.appliedPlanID === planId &&
    former.podRuntimeID === podRuntimeID &&
    (former.runningPlanID === planId) === converged
  );
}

/** Nothing was done to the pod, and it is as it was. */
function isNoNews(
  former: DeployedPod,
  identity: ReturnType<typeof identityOf>,
  report: DeliveryAcked,
): boolean {
  return wasIdle(report) && former.lastError === undefined && isWhereItWas(former, identity, report);
}

/** It was looked at, or told again what it has: by a pass over the pods, or by a new leader. */
function wasIdle({ mode, observed, reloaded, operations, drifted }: DeliveryAcked): boolean {
  return mode === 'noop' || (!reloaded && (observed || (operations === 0 && drifted.length === 0)));
}

/** At most eight; the last says how many were left out. */
function shortened(reasons: readonly string[]): readonly string[] {
  return atMost(
    most.reasons,
    reasons.map((reason) => reason.slice(0, most.reason)),
  );
}

/** The same in few words, for a fleet of many pods. */
export function inFewWords(pod: DeployedPod): DeployedPod {
  const { reasons, lastError } = pod;
  return {
    ...pod,
    ...(reasons && { reasons: atMost(2, reasons).map((reason) => reason.slice(0, few)) }),
    ...(lastError !== undefined && { lastError: lastError.slice(0, few) }),
  };
}

function atMost(count: number, reasons: readonly string[]): readonly string[] {
  if (reasons.length <= count) return reasons;
  const shown = reasons.slice(0, count - 1);
  // What was left out before is left out still.
  const before = /^and (\d+) more$/.exec(reasons.at(-1) ?? '')?.[1];
  const more = reasons.length - shown.length + (before === undefined ? 0 : Number(before) - 1);
  return [...shown, `and ${more} more`];
}

function millisecondsOf(ms: number): string {
  return `${Math.round(ms)}ms`;
}
