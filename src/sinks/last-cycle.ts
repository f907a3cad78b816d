import type { LatchState, LatchVerdict } from '../gate/latch.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { DeploymentProgress } from './track-deployments.ts';

/** How the pipeline stands, phase by phase, with the names that HAPTIC gives them. */
export interface LastCycle {
  readonly rendering?: Phase & { readonly planId?: string };
  readonly validation?: Phase & { readonly planId: string };
  readonly deployment?: Phase & {
    readonly planId: string;
    readonly endpointsTotal: number;
    readonly endpointsSucceeded: number;
    readonly endpointsPending: readonly string[];
    readonly endpointsFailed: readonly string[];
  };
  /** What HAProxy accepted last. */
  readonly validated?: { readonly planId: string; readonly timestamp: string };
}

interface Phase {
  readonly status: 'succeeded' | 'failed' | 'pending';
  /** ISO 8601. */
  readonly timestamp: string;
  readonly durationMs?: number;
  readonly errors?: readonly string[];
}

/** The newest failure of each phase; it stays when the phase succeeds again. */
export interface LastErrors {
  readonly rendering?: LastError;
  readonly validation?: LastError;
  readonly deployment?: LastError;
}

interface LastError {
  readonly timestamp: string;
  readonly message: string;
}

export interface CycleBook {
  readonly onRender: (outcome: RenderOutcome) => void;
  readonly onVerdict: (verdict: LatchVerdict & { readonly message?: string }) => void;
  readonly onLatch: (state: LatchState) => void;
  readonly onDelivery: (report: DeliveryReport) => void;
  readonly onDeployment: (progress: DeploymentProgress) => void;
  readonly last: () => LastCycle;
  readonly errors: () => LastErrors;
}

const mostErrors = 10;

/** Remembers how each phase ended last. `now`: milliseconds of the Unix clock. */
export function createCycleBook(now: () => number): CycleBook {
  let cycle: LastCycle = {};
  let errors: LastErrors = {};
  const at = (): string => new Date(now()).toISOString();
  const failed = (phase: keyof LastErrors, message: string): void => {
    errors = { ...errors, [phase]: { timestamp: at(), message } };
  };
  return {
    onRender: (outcome) => {
      if (outcome.kind === 'rendered') {
        const { bundle, tookMs } = outcome;
        cycle = {
          ...cycle,
          rendering: {
            ...{ status: 'succeeded', timestamp: at(), durationMs: tookMs },
            planId: bundle.plan.id,
          },
        };
        return;
      }
      cycle = { ...cycle, rendering: { status: 'failed', timestamp: at(), errors: [outcome.message] } };
      failed('rendering', outcome.message);
    },
    onVerdict: ({ kind, planId, findings = [], message }) => {
      const words = findings.slice(0, mostErrors).map((finding) => finding.message);
      if (kind === 'accepted') {
        cycle = { ...cycle, validation: { status: 'succeeded', timestamp: at(), planId } };
        return;
      }
      const told = words.length > 0 ? words : [message ?? 'the check could not run'];
      const status = kind === 'refused' ? 'failed' : 'pending';
      cycle = { ...cycle, validation: { status, timestamp: at(), planId, errors: told } };
      failed('validation', told.join('; '));
    },
    onLatch: ({ validatedPlanId }) => {
      if (validatedPlanId === undefined || validatedPlanId === cycle.validated?.planId) return;
      cycle = { ...cycle, validated: { planId: validatedPlanId, timestamp: at() } };
    },
    onDelivery: (report) => {
      if (report.kind === 'failed')
        failed('deployment', `${report.pod.key} (${report.stage}): ${report.message}`);
    },
    onDeployment: ({ planId, pods, converged, pending, failed: bad, overdue, tookMs }) => {
      const isWhole = pods > 0 && converged === pods;
      cycle = {
        ...cycle,
        deployment: {
          status: isWhole ? 'succeeded' : bad.length > 0 || overdue ? 'failed' : 'pending',
          timestamp: at(),
          durationMs: tookMs,
          planId,
          endpointsTotal: pods,
          endpointsSucceeded: converged,
          endpointsPending: pending,
          endpointsFailed: bad,
        },
      };
    },
    last: () => cycle,
    errors: () => errors,
  };
}
