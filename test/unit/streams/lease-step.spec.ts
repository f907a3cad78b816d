import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { KubeResult } from '../../../src/kube/kube-failure.ts';
import { nextRequest } from '../../../src/streams/lease-next.ts';
import {
  type ElectionSignal,
  type ElectionState,
  type LeaseRequest,
  initialElection,
} from '../../../src/streams/lease-state.ts';
import { leaseStep } from '../../../src/streams/lease-step.ts';

/** What goes wrong, step by step; a step lasts 100 ms. */
interface Fault {
  readonly kind: 'pause' | 'cut' | 'slow' | 'restart' | 'unwatch' | 'delete';
  readonly who: number;
  /** Steps. */
  readonly at: number;
  readonly for: number;
}

const step = 100;
const horizon = 1_500;
const quiet = 500;
const timing = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

interface Process {
  readonly name: string;
  state: ElectionState;
  /** What waits to be told to it. */
  inbox: { readonly at: number; readonly signal: ElectionSignal }[];
}

/**
 * Processes over one Lease, in steps of 100 ms: requests reach the API after a delay, answers and watch events come back after
 * another, each process may stand still, be cut off, or be started anew at any time, and somebody deletes the Lease.
 */
function simulate(faults: readonly Fault[], replicas: number) {
  let lease: KubeObject | undefined;
  let version = 0;
  let restarts = 0;
  const terms: { readonly name: string; readonly epoch: number }[] = [];
  const overlaps: string[] = [];
  const flights: { readonly process: Process; readonly request: LeaseRequest; readonly at: number }[] = [];
  const make = (): Process => {
    const name = `p${restarts++}`;
    const state = initialElection({ namespace: 'ns', name: 'lead', identity: name, timing });
    return { name, state, inbox: [{ at: 0, signal: { kind: 'start' } }] };
  };
  const processes = Array.from({ length: replicas }, make);

  const answer = (request: LeaseRequest): KubeResult<KubeObject> => {
    const no = (status: number): KubeResult<KubeObject> => ({
      ok: false,
      failure: { kind: 'http', status, reason: '', message: '' },
    });
    if (request.kind === 'read' || request.lease === undefined)
      return lease === undefined ? no(404) : { ok: true, value: lease };
    if (request.kind === 'create' && lease !== undefined) return no(409);
    if (request.kind === 'replace') {
      if (lease === undefined) return no(404);
      if (lease.metadata.resourceVersion !== request.lease.metadata.resourceVersion) return no(409);
    }
    lease = {
      ...request.lease,
      metadata: { ...request.lease.metadata, resourceVersion: String(++version) },
    };
    return { ok: true, value: lease };
  };

  for (let i = 0; i < horizon + quiet; i++) {
    const now = i * step;
    const has = (kind: Fault['kind'], index: number): boolean =>
      i < horizon &&
      faults.some(
        (fault) => fault.kind === kind && fault.who === index && i >= fault.at && i < fault.at + fault.for,
      );
    const delayOf = (index: number): number => (has('slow', index) ? 30 * step : step);

    const tellOthers = (): void => {
      for (const [other, process] of processes.entries())
        if (!has('cut', other) && !has('unwatch', other))
          process.inbox.push({
            at: now + delayOf(other),
            signal: { kind: 'seen', ...(lease !== undefined && { lease }) },
          });
    };

    for (const [index] of processes.entries())
      if (i < horizon && faults.some(({ kind, who, at }) => kind === 'restart' && who === index && at === i))
        processes[index] = make();

    // Not while the first Lease is being made: a process that saw none may make another then.
    const isDeleted = i >= 20 && i < horizon && faults.some(({ kind, at }) => kind === 'delete' && at === i);
    if (isDeleted && lease !== undefined) {
      lease = undefined;
      tellOthers();
    }

    for (const flight of flights.splice(0)) {
      const index = processes.indexOf(flight.process);
      if (index < 0) continue;
      if (flight.at > now) {
        flights.push(flight);
        continue;
      }
      const before = lease;
      const isLost = has('cut', index);
      // A request that is lost may have had its effect: the way back may be what is cut.
      const result = isLost && i % 2 === 0 ? undefined : answer(flight.request);
      if (lease !== before) tellOthers();
      flight.process.inbox.push(
        isLost || result === undefined
          ? {
              at: flight.request.sentAt + flight.request.timeout,
              signal: {
                kind: 'answered',
                result: { ok: false, failure: { kind: 'network', code: 'TIMEOUT', message: '' } },
              },
            }
          : { at: now + delayOf(index), signal: { kind: 'answered', result } },
      );
    }

    for (const [index, process] of processes.entries()) {
      if (has('pause', index)) continue;
      const isWatched = !has('cut', index) && !has('unwatch', index);
      if (isWatched !== process.state.isWatched) {
        process.inbox.push({ at: now, signal: { kind: 'watching', isWatched } });
        if (isWatched) process.inbox.push({ at: now, signal: { kind: 'seen', ...(lease && { lease }) } });
      }
      const due = process.inbox.filter(({ at }) => at <= now);
      process.inbox = process.inbox.filter(({ at }) => at > now);
      const next = nextRequest(process.state);
      const isDue =
        (next !== undefined && next.at <= now) || (process.state.term?.deadline ?? Infinity) <= now;
      for (const { signal } of isDue ? [{ signal: { kind: 'elapsed' as const } }, ...due] : due) {
        const before = process.state.term?.epoch;
        const result = leaseStep(process.state, signal, {
          at: now,
          // Clocks that others read differ by minutes.
          wall: now + (index - 1) * 120_000,
          random: 0.5,
          podEpoch: Math.max(0, ...terms.map(({ epoch }) => epoch)),
        });
        process.state = result.state;
        const { term } = result.state;
        if (term !== undefined && term.epoch !== before)
          terms.push({ name: process.name, epoch: term.epoch });
        if (result.request !== undefined)
          flights.push({ process, request: result.request, at: now + delayOf(index) });
      }
    }
    const writers = processes.filter(({ state }) => now < (state.term?.deadline ?? -Infinity));
    if (writers.length > 1) overlaps.push(`${now}: ${writers.map(({ name }) => name).join(' and ')}`);
  }
  const leaders = processes.filter(({ state }) => state.term !== undefined).length;
  return { terms, overlaps, leaders };
}

const faults = (replicas: number) =>
  fc.array(
    fc.record({
      kind: fc.constantFrom('pause', 'cut', 'slow', 'restart', 'unwatch', 'delete' as const),
      who: fc.nat({ max: replicas - 1 }),
      at: fc.nat({ max: horizon }),
      for: fc.integer({ min: 1, max: 400 }),
    }),
    { maxLength: 12 },
  );

describe('an election, whatever becomes of its processes', () => {
  const replicas = 3;

  it('never lets two of them write at the same time, and gives every term a higher epoch', () => {
    fc.assert(
      fc.property(faults(replicas), (happening) => {
        const { terms, overlaps } = simulate(happening, replicas);
        expect(overlaps).toEqual([]);
        const epochs = terms.map(({ epoch }) => epoch);
        expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
      }),
      { numRuns: 150 },
    );
  });

  it('has a leader again when all is well again', () => {
    fc.assert(
      fc.property(faults(replicas), (happening) => {
        expect(simulate(happening, replicas).leaders).toBe(1);
      }),
      { numRuns: 150 },
    );
  });

  it('changes nothing where nothing happens', () => {
    expect(simulate([], replicas).terms).toEqual([{ name: 'p0', epoch: 1 }]);
  });
});
