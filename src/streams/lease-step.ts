import type { KubeObject } from '../api/kube-object.ts';
import { describeFailure, type KubeFailure, type KubeResult } from '../kube/kube-failure.ts';
import { isSameRecord, leaseRecord } from '../kube/lease-record.ts';
import { spread } from '../lib/backoff.ts';
import { nextRequest, requestFor } from './lease-next.ts';
import type {
  ElectionContext,
  ElectionSignal,
  ElectionState,
  LeaseRequest,
  SeenLease,
} from './lease-state.ts';

export interface ElectionStep {
  readonly state: ElectionState;
  /** To be sent; its answer is the signal `answered`. */
  readonly request?: LeaseRequest;
}

/** How far waits are spread, so that replicas do not move in step. */
const jitter = 0.2;
/** Of `retryPeriod`, by which a standby waits longer than it must. */
const patience = 0.1;
/** Conflicts after which the next attempt waits, too: somebody else writes all the time. */
const conflictsAtOnce = 3;
/** Whoever wrote a longer time into a Lease cannot have meant it; and were its holder dead, nobody could ever lead. */
const longestTrusted = 600_000;

/**
 * One step of an election: pure. A term that is over by the clock ends before anything else is looked at, so that no late
 * answer prolongs it.
 */
export function leaseStep(
  before: ElectionState,
  signal: ElectionSignal,
  context: ElectionContext,
): ElectionStep {
  const state = settleRelease(onSignal(endOverdue(before, context), signal, context));
  const next = nextRequest(state);
  if (next === undefined || next.at > context.at) return { state };
  const request = requestFor(state, next, context);
  return { state: { ...state, request }, request };
}

function endOverdue(state: ElectionState, { at }: ElectionContext): ElectionState {
  if (state.term === undefined || at < state.term.deadline) return state;
  return endTerm(state, 'the Lease was not renewed in time');
}

/** There is nothing to give back, or nothing any more. */
function settleRelease(state: ElectionState): ElectionState {
  if (state.phase !== 'releasing' || state.request !== undefined || state.lease.kind === 'unknown')
    return state;
  return holderOf(state.lease) === state.identity ? state : { ...state, phase: 'released' };
}

function endTerm(state: ElectionState, ended: string): ElectionState {
  const { term, floor: _floor, ...rest } = state;
  return { ...rest, ...(term && { formerEpoch: term.epoch }), ended };
}

function onSignal(state: ElectionState, signal: ElectionSignal, context: ElectionContext): ElectionState {
  switch (signal.kind) {
    case 'start':
    case 'elapsed':
      return state;
    case 'timing':
      return { ...state, timing: signal.timing };
    case 'watching':
      return { ...state, isWatched: signal.isWatched };
    case 'seen':
      return onSeen(state, signal.lease, context);
    case 'answered':
      return onAnswer(state, signal.result, context);
    case 'reclaim': {
      const { term } = state;
      const isNews =
        term !== undefined && term.epoch <= signal.floor && signal.floor < Number.MAX_SAFE_INTEGER;
      return isNews ? { ...state, floor: Math.max(signal.floor, state.floor ?? 0) } : state;
    }
    case 'retire': {
      const retired = { ...state, phase: 'retired' as const };
      return state.term === undefined ? retired : endTerm(retired, 'this process stops');
    }
    case 'release':
      // What is under way may yet take the Lease: its answer is waited for.
      return { ...state, phase: 'releasing' };
  }
}

function isRival(holder: string, identity: string): boolean {
  return holder !== '' && holder !== identity;
}

function holderOf(lease: SeenLease): string {
  if (lease.kind === 'absent') return '';
  return lease.kind === 'present' ? lease.record.holder : lease.holder;
}

function outdated(lease: SeenLease): SeenLease {
  return { kind: 'unknown', holder: holderOf(lease) };
}

/** A leader is told by its own writes what the Lease is like: their echo is no news, everything else is looked at. */
function onSeen(
  state: ElectionState,
  lease: KubeObject | undefined,
  context: ElectionContext,
): ElectionState {
  if (state.term === undefined) {
    const { failure: _failure, ...mended } = state;
    return learn(mended, lease, context);
  }
  if (lease === undefined) return { ...learn(state, undefined, context), notBefore: context.at };
  if (leaseRecord(lease).holder === state.identity) return state;
  return { ...state, lease: outdated(state.lease), notBefore: context.at };
}

/** What the Lease is like. As long as its record stays the same, the time counts from when that was seen first. */
function learn(
  state: ElectionState,
  object: KubeObject | undefined,
  { at, random, podEpoch }: ElectionContext,
): ElectionState {
  const { lease, timing, identity } = state;
  const longer = random * patience * timing.retryPeriod;
  if (object === undefined) {
    const isNoSurprise = lease.kind === 'absent' || (lease.kind === 'present' && holderOf(lease) === '');
    const hadLeader = state.highestEpoch > 0 || podEpoch > 0;
    // Somebody may lead of whom nothing was seen, and not know that its Lease is gone.
    const rivalUntil =
      hadLeader && !isNoSurprise
        ? Math.max(state.rivalUntil, at + timing.leaseDuration + longer)
        : state.rivalUntil;
    return { ...state, lease: { kind: 'absent' }, rivalUntil };
  }
  const record = leaseRecord(object);
  const { epoch, holder } = record;
  const highestEpoch = Math.max(state.highestEpoch, epoch.kind === 'number' ? epoch.value : 0);
  const seen = { ...state, lease: { kind: 'present' as const, object, record }, highestEpoch };
  if (holder === identity) return seen;
  if (holder === '') return { ...seen, rivalUntil: -Infinity };
  if (lease.kind === 'present' && isSameRecord(lease.record, record)) return seen;
  const duration = Math.min(record.durationMs ?? timing.leaseDuration, longestTrusted);
  return { ...seen, rivalUntil: at + duration + longer };
}

function onAnswer(
  before: ElectionState,
  result: KubeResult<KubeObject>,
  context: ElectionContext,
): ElectionState {
  const { request: sent, ...state } = before;
  if (sent === undefined) return state;
  if (!result.ok) return onFailure(state, sent, result.failure, context);
  const { failure: _failure, ...mended } = state;
  const known = learn(mended, result.value, context);
  if (sent.kind === 'read') return onRead(known, context);
  return sent.epoch === undefined ? known : onHeld({ ...known, conflicts: 0 }, sent, sent.epoch, context);
}

function onRead(state: ElectionState, { at, random }: ElectionContext): ElectionState {
  const { lease, term, identity } = state;
  const looked = { ...state, dueAt: at + spread(state.timing.retryPeriod, jitter, random) };
  if (lease.kind !== 'present') return looked;
  const { holder, epoch } = lease.record;
  if (term === undefined) return isRival(holder, identity) ? { ...looked, conflicts: 0 } : looked;
  if (holder !== identity)
    return endTerm(looked, `the Lease is held by ${holder === '' ? 'nobody' : holder}`);
  if (state.floor !== undefined && epoch.kind === 'number' && epoch.value > term.epoch) {
    const ended = endTerm(
      looked,
      `epoch ${epoch.value} stands on the Lease, and pods have seen ${state.floor}`,
    );
    return { ...ended, notBefore: looked.dueAt };
  }
  return { ...looked, dueAt: at };
}

/**
 * The Lease is ours as of when the request left. A term that is over is not taken up again by a renewal that came too late: the next
 * one has an epoch of its own.
 */
function onHeld(
  state: ElectionState,
  { sentAt, begins = false }: LeaseRequest,
  epoch: number,
  { at }: ElectionContext,
): ElectionState {
  const { renewDeadline, retryPeriod } = state.timing;
  const { floor, ended: _ended, ...held } = state;
  const deadline = sentAt + renewDeadline;
  const isOver = at >= deadline || (state.term === undefined && !begins);
  if (state.phase !== 'campaign' || isOver) return state;
  const rest = floor !== undefined && floor >= epoch ? { floor } : {};
  return { ...held, ...rest, term: { epoch, deadline }, dueAt: sentAt + retryPeriod };
}

/**
 * | failure | then |
 * | --- | --- |
 * | 404 of a read or a replacement | the Lease is gone |
 * | 409 | it was changed: read it, at once unless that happens again and again |
 * | anything else | try again after a part of `retryPeriod` |
 */
function onFailure(
  state: ElectionState,
  sent: LeaseRequest,
  failure: KubeFailure,
  context: ElectionContext,
): ElectionState {
  const { at, random } = context;
  const status = failure.kind === 'http' ? failure.status : undefined;
  const later = at + spread(state.timing.retryPeriod, jitter, random);
  if (status === 404 && sent.kind !== 'create') {
    const { failure: _failure, ...mended } = state;
    return { ...learn(mended, undefined, context), dueAt: later };
  }
  if (status === 409) {
    const conflicts = state.conflicts + 1;
    const isOften = conflicts > conflictsAtOnce;
    return {
      ...state,
      lease: outdated(state.lease),
      conflicts: isOften ? 0 : conflicts,
      ...(isOften ? { notBefore: later } : {}),
    };
  }
  // A leader has little time, and a standby none to lose once the other's is over.
  const notBefore = at + spread(state.timing.retryPeriod / 2, jitter, random);
  return { ...state, failure: describeFailure(failure), notBefore };
}
