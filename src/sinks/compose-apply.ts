import { LRUCache } from 'lru-cache';
import { type Observable, ReplaySubject, defer, finalize, map, of, share, tap } from 'rxjs';
import { encodeParts } from '../fleet/encode-parts.ts';
import { digest } from '../lib/digest.ts';
import type { Slices } from '../lib/slices.ts';
import { runInSlices, type RunInSlicesOptions } from '../operators/run-in-slices.ts';
import type { Baseline, Decision } from '../plan/baseline.ts';
import { buildApply } from '../plan/build-apply.ts';
import { diffInSlices } from '../plan/diff-in-slices.ts';
import type { ApplyRequest } from '../protocol/apply-request.ts';
import type { DeliveryCause } from '../protocol/delivery-report.ts';
import { limits } from '../protocol/limits.ts';
import { planSchemaVersion, type Plan } from '../protocol/plan.ts';
import { apiVersion, type AgentState, type ApplyManifest, type ApplyToken } from '../protocol/wire.ts';
import { applyFence } from './apply-fence.ts';
import { baselineOf, driftedFiles, holdsFilesOf, isConverged, type PodKnowledge } from './pod-knowledge.ts';

export interface ComposeInput {
  readonly plan: Plan;
  readonly knowledge: PodKnowledge;
  /** The complete state and a reload, whatever is known. */
  readonly full: boolean;
  /** Paths whose whole bytes the pod asked for. */
  readonly resend: ReadonlySet<string>;
  /**
   * On a drift pass a pod that has the plan, and HAProxy accepted it since, is told so though nothing else is to be sent: it may then
   * count on it.
   */
  readonly cause: DeliveryCause;
}

export interface ComposeDeps {
  readonly planOf: (id: string) => Plan | undefined;
  /** Of the term: a pod is told of it though nothing else is to be sent, so that it refuses every former leader. */
  readonly epoch: () => number;
  /** The fencing token of the next apply. */
  readonly nextToken: () => ApplyToken;
  /** HAProxy's check passed this plan. */
  readonly isAccepted: (planId: string) => boolean;
  /** The plan as a blob, where it is encoded already: it rides along with what is slow anyway. */
  readonly blobOf: (plan: Plan) => Uint8Array | undefined;
  /** How a change of thousands of backends pauses. */
  readonly slices: RunInSlicesOptions;
}

export interface Composed {
  readonly decision: Decision;
  /** Absent: there is nothing to send. */
  readonly request?: ApplyRequest;
  /** Files that somebody else had changed or removed. */
  readonly drifted: readonly string[];
  /** Why the agent is taken for one of another release. */
  readonly skew?: string;
}

/** An apply without what differs from pod to pod of the same state. */
interface Shared {
  readonly decision: Decision;
  readonly request: ApplyRequest | undefined;
  readonly drifted: readonly string[];
  readonly skew?: string;
}

/** States of pods that are told apart at a time: a fleet has few, since its pods get the same. */
const rememberedStates = 64;
const rememberedBytes = 32 * 1024 * 1024;

/**
 * Composes the smallest safe apply for one pod. Pods in the same state share the diff, the list of files and the bytes of the parts:
 * for a fleet of equal pods all this is done once, and only the fence is each pod's own. Emits once and completes: at once where the change
 * is small, else after pauses, and what is known of the pod may be out of date by then.
 *
 * Loss policy: unsubscribing gives up what no other pod waits for.
 */
export function createComposer(deps: ComposeDeps): (input: ComposeInput) => Observable<Composed> {
  const memo = new LRUCache<string, Shared>({
    max: rememberedStates,
    maxSize: rememberedBytes,
    sizeCalculation: sizeOf,
  });
  const composing = new Map<string, Observable<Shared>>();
  const keyPart = memoizedDigest();

  return (input) => defer(() => sharedFor(input).pipe(map((shared) => finished(input, shared))));

  function sharedFor(input: ComposeInput): Observable<Shared> {
    const baseline = baselineOf(input.knowledge, deps.planOf);
    const held = heldKey(input.knowledge, baseline.applied);
    const key = stateKey(input, baseline, held);
    const work$ = runInSlices(() => compose(input, baseline, held), deps.slices);
    if (key === undefined) return work$;
    const known = memo.get(key);
    if (known !== undefined) return of(known);
    let shared$ = composing.get(key);
    if (shared$ === undefined) {
      shared$ = work$.pipe(
        tap((shared) => memo.set(key, shared)),
        finalize(() => composing.delete(key)),
        share({ connector: () => new ReplaySubject(1) }),
      );
      composing.set(key, shared$);
    }
    return shared$;
  }

  function finished({ plan, knowledge }: ComposeInput, { request, ...composed }: Shared): Composed {
    if (request === undefined) return composed;
    const blob = request.manifest.mode === 'reload' || knowledge.isFresh ? deps.blobOf(plan) : undefined;
    return {
      ...composed,
      request: {
        manifest: fenced(request.manifest, knowledge, deps),
        parts: request.parts,
        ...(blob === undefined ? {} : { plan: blob }),
      },
    };
  }

  /** Undefined: what this pod gets is its own. */
  function stateKey(
    { plan, knowledge, full, resend, cause }: ComposeInput,
    baseline: Baseline,
    held: string | undefined,
  ) {
    if (resend.size > 0 || held === undefined) return undefined;
    const { state } = knowledge;
    return [
      plan.id,
      full,
      cause,
      mustTell(plan, knowledge, cause),
      held,
      baseline.applied === undefined ? '' : knowledge.applied_plan_id,
      knowledge.running_plan_id,
      knowledge.worker_ops_plan_id,
      knowledge.loadedBy?.id,
      state.haproxy.version,
      state.api_version,
      state.plan_schema_version,
      keyPart(state.agent_ops),
      keyPart(state.features),
      keyPart(state.runtime_inventory),
      keyPart(state.pending_deletes),
      state.reload_pending_at !== undefined,
    ].join(' ');
  }

  function* compose(input: ComposeInput, known: Baseline, held: string | undefined): Slices<Shared> {
    const { plan, knowledge, resend } = input;
    const oldAgent = skewOf(knowledge.state);
    const full = input.full || oldAgent !== undefined;
    const baseline: Baseline = full ? { ...known, applied: undefined } : known;
    const drifted = driftOf(input, known);
    const decision = settle(yield* diffInSlices(plan, baseline), input, drifted, oldAgent);
    if (decision.verdict === 'noop' && !mustTell(plan, knowledge, input.cause))
      return { decision, request: undefined, drifted };
    yield;
    const request = buildApply({
      plan,
      decision,
      roles: knowledge,
      appliedToken: knowledge.state.applied_token,
      token: { leader_epoch: 0, render_seq: 0 },
      held: (path) => (resend.has(path) ? undefined : knowledge.held(path)),
      ...(baseline.applied === undefined
        ? {}
        : { heldPlan: baseline.applied, holdsPlan: resend.size === 0 && held === baseline.applied.id }),
      features: knowledge.state.features,
    });
    yield;
    // Whoever sends it has the bytes by then.
    yield* encodeParts(request.parts);
    const skew = oldAgent ?? skewBetween(decision, request.manifest, knowledge.state, known);
    return { decision, request, drifted, ...(skew === undefined ? {} : { skew }) };
  }

  function mustTell(plan: Plan, knowledge: PodKnowledge, cause: DeliveryCause): boolean {
    if (knowledge.state.applied_token.leader_epoch < deps.epoch()) return true;
    return cause === 'drift' && knowledge.lkg_plan_id !== plan.id && deps.isAccepted(plan.id);
  }
}

/** A pod that got nothing since its last delivery should hold just that; else what it says that it applied. */
function driftOf({ plan, knowledge, cause }: ComposeInput, { applied }: Baseline): readonly string[] {
  const expected = cause === 'drift' ? plan : applied;
  if (!knowledge.isFresh || expected === undefined) return [];
  return driftedFiles(knowledge, expected).slice(0, limits.reasons);
}

/** Bytes, about: what is sent is held twice, as content and as the encoded form. */
function sizeOf({ request }: Shared): number {
  const sent = request?.parts.flatMap(({ bytes }) => bytes.map((run) => run.byteLength)) ?? [];
  return 1000 + 500 * (request?.manifest.files.length ?? 0) + 2 * sent.reduce((sum, size) => sum + size, 0);
}

/** A diff sees plans; this sees the pod as well. */
function settle(
  decision: Decision,
  { plan, knowledge }: ComposeInput,
  drifted: readonly string[],
  oldAgent: string | undefined,
): Decision {
  if (oldAgent !== undefined) return { ...decision, reasons: [oldAgent] };
  if (decision.verdict !== 'noop') return decision;
  if (!isConverged(knowledge, plan.id) && knowledge.state.reload_pending_at === undefined)
    return {
      ...decision,
      verdict: 'reload',
      mode: 'reload',
      reasons: ['the pod runs something else than it holds'],
    };
  return drifted.length === 0 ? decision : { ...decision, verdict: 'file_only', changedFiles: drifted };
}

/** An agent of another release gets the complete state and a reload; it is never refused, or it could not be repaired. */
function skewOf({ api_version, features }: AgentState): string | undefined {
  if (api_version !== apiVersion) return `the agent speaks version ${api_version} of the protocol`;
  return features.includes('worker_fence') ? undefined : 'the agent does not fence its worker';
}

function skewBetween(
  decision: Decision,
  manifest: ApplyManifest,
  state: AgentState,
  known: Baseline,
): string | undefined {
  if (decision.mode === 'auto' && manifest.mode === 'reload')
    return 'the agent takes one batch of operations at a time';
  const isOther = state.plan_schema_version !== planSchemaVersion;
  if (isOther && known.applied === undefined && state.applied_plan_id !== '')
    return `the agent keeps plans of schema ${state.plan_schema_version}`;
  return decision.reasons.find((reason) => reason.startsWith('the agent does not execute '));
}

/** What the pod has on disk, in a word; undefined when that is no plan's files. */
function heldKey(knowledge: PodKnowledge, applied: Plan | undefined): string | undefined {
  if (knowledge.heldPlanId !== undefined) return knowledge.heldPlanId;
  const { state } = knowledge;
  if (Object.keys(state.files).length === 0) return 'nothing';
  return applied !== undefined && holdsFilesOf(applied, state) ? applied.id : undefined;
}

/** The shared part with what is one pod's own: its fence, and whether it may count on the plan that it has. */
function fenced(
  manifest: ApplyManifest,
  knowledge: PodKnowledge,
  { nextToken, isAccepted }: ComposeDeps,
): ApplyManifest {
  const { applied_plan_id: id, applied_plan_proof: proof } = knowledge;
  return {
    ...manifest,
    ...applyFence(knowledge, nextToken()),
    ...(id !== '' && isAccepted(id) ? { validated_plan_id: id, validated_plan_proof: proof } : {}),
  };
}

/** Digests of parts of a state; the same object is read once. */
function memoizedDigest(): (value: object) => string {
  const known = new WeakMap<object, string>();
  return (value) => {
    let found = known.get(value);
    if (found === undefined) {
      const { generation: _generation, ...content } = value as { readonly generation?: number };
      found = digest(JSON.stringify(Array.isArray(value) ? value : content));
      known.set(value, found);
    }
    return found;
  };
}
