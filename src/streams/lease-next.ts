import { heldLease, type LeaseClaim } from '../kube/held-lease.ts';
import type { ElectionContext, ElectionState, LeaseRequest } from './lease-state.ts';

/** What is to be done next, and when; undefined: nothing until something happens. */
export interface NextRequest {
  readonly at: number;
  readonly what: 'look' | 'acquire' | 'renew' | 'release';
}

/** A request may take this share of the time in which a renewal must succeed: there is time for another. */
const timeoutShare = 1 / 3;

/**
 * | what was seen | then |
 * | --- | --- |
 * | nothing yet | look |
 * | we lead | renew every `retryPeriod`; at once where the epoch is to be raised, or the Lease is gone or was changed |
 * | nobody holds it, or this process does and leads no more | acquire |
 * | it is gone | acquire; where a rival was seen, after the time for which that may believe that it leads |
 * | somebody else holds it | acquire when that time is over; look now and then where it is not watched |
 */
export function nextRequest(state: ElectionState): NextRequest | undefined {
  const { phase, lease, term, request, identity, notBefore, isWatched } = state;
  if (request !== undefined || phase === 'retired' || phase === 'released') return undefined;
  const at = (when: number): number => Math.max(when, notBefore);
  if (lease.kind === 'unknown') return { at: notBefore, what: 'look' };
  if (phase === 'releasing') return { at: notBefore, what: 'release' };
  if (term !== undefined) {
    const isUrgent = lease.kind === 'absent' || state.floor !== undefined;
    return { at: isUrgent ? notBefore : at(state.dueAt), what: 'renew' };
  }
  if (lease.kind === 'absent') return { at: at(state.rivalUntil), what: 'acquire' };
  const { holder } = lease.record;
  if (holder === '' || holder === identity) return { at: notBefore, what: 'acquire' };
  return isWatched || state.rivalUntil <= state.dueAt
    ? { at: at(state.rivalUntil), what: 'acquire' }
    : { at: at(state.dueAt), what: 'look' };
}

/** The request itself. */
export function requestFor(
  state: ElectionState,
  { what }: NextRequest,
  { at: sentAt, wall, podEpoch, intent }: ElectionContext,
): LeaseRequest {
  const { lease, term, identity, timing } = state;
  const timeout = Math.round(timing.renewDeadline * timeoutShare);
  if (what === 'look') return { kind: 'read', sentAt, timeout };
  const found = lease.kind === 'present' ? lease.object : undefined;
  const place = { namespace: state.namespace, name: state.name, ...(found && { found }) };
  const write = (claim: Omit<LeaseClaim, 'now'>) => ({
    kind: found === undefined ? ('create' as const) : ('replace' as const),
    sentAt,
    timeout,
    lease: heldLease(place, { ...claim, now: wall }),
  });
  const stored =
    lease.kind === 'present' && lease.record.epoch.kind === 'number' ? lease.record.epoch.value : 0;
  if (what === 'release') {
    // A Lease that was taken for a term that did not begin has what others let out.
    const isOfTerm = stored === (term?.epoch ?? state.formerEpoch);
    return write({ holder: '', durationMs: 1000, ...(isOfTerm && intent && { intent }) });
  }
  const epoch =
    term === undefined
      ? Math.max(state.highestEpoch, stored, podEpoch) + 1
      : Math.max(term.epoch, (state.floor ?? -1) + 1);
  return {
    ...write({
      holder: identity,
      durationMs: timing.leaseDuration,
      // Who begins to lead has let nothing out yet.
      ...(term !== undefined && intent !== undefined && { intent }),
      // The counter never falls, whoever raised it.
      epoch: Math.max(epoch, term === undefined ? 0 : stored),
    }),
    epoch,
    ...(term === undefined && { begins: true }),
  };
}
