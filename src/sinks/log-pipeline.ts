import { LRUCache } from 'lru-cache';
import { type Observable, Subscription } from 'rxjs';
import type { LatchState, LatchVerdict } from '../gate/latch.ts';
import { formatOwner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { DeliveryAcked, DeliveryFailed, DeliveryReport } from '../protocol/delivery-report.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';

/** What this sink needs of a logger: constant messages, everything else in fields. */
export interface PipelineLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** `message`: why the check could not run. */
type LoggedVerdict = LatchVerdict & { readonly message?: string };

export interface LoggedStreams {
  readonly render$: Observable<RenderOutcome>;
  readonly verdict$: Observable<LoggedVerdict>;
  readonly latch$: Observable<LatchState>;
  readonly delivery$: Observable<DeliveryReport>;
}

/** Findings of one refusal that are told; the tap shows more. */
const toldFindings = 10;
const rememberedPods = 1024;

/**
 * Tells in the log what the pipeline did: `info` per accepted delivery, `warn` per problem that is new and per refusal,
 * `error` when the fleet is held on an older render. Ends when unsubscribed; a stream's error is for `onError`: it is a bug.
 */
export function logPipeline(
  streams: LoggedStreams,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  const logging = new Subscription();
  const on = <T>(stream$: Observable<T>, next: (value: T) => void): void =>
    logging.add(stream$.subscribe({ next, error: onError }));
  let known = new Set<string>();
  /** A problem stays the same object for as long as it lasts: with thousands of them, text is made of those that are new. */
  const keys = new WeakMap<Problem, string>();
  let problems: readonly Problem[] = [];
  let wasPinned = false;

  on(streams.render$, (outcome) => {
    if (outcome.kind === 'rejected') {
      log.error({ reason: outcome.message }, 'render failed, the former one stays');
      return;
    }
    const { plan, revision } = outcome.bundle;
    log.debug({ revision, planId: plan.id, tookMs: outcome.tookMs }, 'rendered');
    if (outcome.bundle.problems !== problems) {
      problems = outcome.bundle.problems;
      known = tellProblems(problems, known);
    }
  });
  on(streams.verdict$, (verdict) => {
    if (verdict.kind === 'accepted')
      log.debug({ planId: verdict.planId }, 'HAProxy accepts the configuration');
    else tellRefusal(verdict);
  });
  on(streams.latch$, ({ pinned, released }) => {
    if (pinned && !wasPinned)
      log.error({ released: released?.plan.id }, 'newer renders are refused, the fleet stays where it is');
    if (!pinned && wasPinned) log.info({ released: released?.plan.id }, 'a render was accepted again');
    wasPinned = pinned;
  });
  const skews = new LRUCache<string, string>({ max: rememberedPods });
  on(streams.delivery$, (report) => {
    const { key: pod } = report.pod;
    if (report.kind === 'reverted')
      log.warn(
        { pod, refused: report.planId, planId: report.lkgPlanId, tookMs: report.tookMs },
        'pod went back to its last known good configuration',
      );
    else {
      tellSkew(pod, report.skew);
      tellDelivery(report);
    }
  });
  return logging;

  function tellRefusal({ kind, planId, findings = [], message }: LoggedVerdict): void {
    if (kind === 'refused')
      log.warn(
        { planId, findings: findings.slice(0, toldFindings), findingCount: findings.length },
        'HAProxy refuses the configuration',
      );
    else log.warn({ planId, reason: message }, 'the configuration could not be checked');
  }

  function tellDelivery(report: DeliveryAcked | DeliveryFailed): void {
    const { planId, revision, tookMs } = report;
    const fields = { pod: report.pod.key, planId, revision, tookMs };
    if (report.kind === 'failed') {
      log.warn({ ...fields, stage: report.stage, reason: report.message }, 'delivery failed');
      return;
    }
    const { mode, operations, reasons, timing, drifted, observed } = report;
    if (drifted.length > 0)
      log.warn({ ...fields, mode, files: drifted }, 'files were changed by somebody else');
    const why = reasons.length === 0 ? {} : { reasons };
    if (mode === 'noop') log.debug(fields, 'pod is up to date');
    else if (mode === 'scheduled')
      log.info({ ...fields, operations, ...why }, 'delivered, to be reloaded later');
    else if (observed) log.info({ ...fields, mode }, 'pod was reloaded as scheduled');
    else log.info({ ...fields, mode, operations, ...why, timing }, 'delivered');
  }

  /** Once per change: an old agent is as old with each delivery. */
  function tellSkew(pod: string, skew: string | undefined): void {
    if (skew === skews.get(pod)) return;
    if (skew === undefined) skews.delete(pod);
    else {
      skews.set(pod, skew);
      log.warn(
        { pod, reason: skew },
        'the agent is of another release: it gets the complete state and reloads',
      );
    }
  }

  function tellProblems(current: readonly Problem[], before: ReadonlySet<string>): Set<string> {
    const now = new Set<string>();
    for (const problem of current) {
      const { owner, field, reason, severity, message } = problem;
      const key = keyOf(problem);
      if (!before.has(key) && !now.has(key))
        log.warn({ object: formatOwner(owner), field, reason, severity, detail: message }, 'problem');
      now.add(key);
    }
    return now;
  }

  function keyOf(problem: Problem): string {
    const former = keys.get(problem);
    if (former !== undefined) return former;
    const { owner, field, reason, severity, message } = problem;
    const key = `${severity} ${formatOwner(owner)} ${field} ${reason} ${message}`;
    keys.set(problem, key);
    return key;
  }
}
