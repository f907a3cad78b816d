import { limits } from '../protocol/limits.ts';
import type { Operation } from '../protocol/operation.ts';

/**
 * Phases in the order in which they run, so that traffic never meets a missing piece: what is routed to exists before
 * the route, and goes after it, and so does what is said of a route in maps of its own; a certificate is there before what names it, and a host name has its certificate before its
 * routes and longer than them.
 */
const phases = [
  'fileNew',
  'fileSet',
  'backendAdd',
  'serverAdd',
  'serverUpdate',
  'serverDrain',
  'backendPublish',
  'crtListAdd',
  'mapUpsert',
  'mapReplace',
  'routeUpsert',
  'routeReplace',
  'routeDelete',
  'mapDelete',
  'crtListDelete',
  'backendUnpublish',
  'serverDelete',
  'backendDelete',
] as const;

export type Phase = (typeof phases)[number];

/** What the rules write into while one diff is made: operations by phase, reasons for a reload, notes. */
export interface Draft {
  readonly emit: (phase: Phase, ...operations: readonly Operation[]) => void;
  readonly reload: (reason: string) => void;
  readonly note: (text: string) => void;
  /** Emits what another draft has emitted, each in its phase. */
  readonly take: (other: Draft) => void;
  readonly of: (phase: Phase) => readonly Operation[];
  readonly operations: () => readonly Operation[];
  /** How many operations there are of each kind that there is, in the order in which kinds came. */
  readonly counts: () => ReadonlyMap<Operation['kind'], number>;
  /** How many reasons there are, those beyond the limit included. */
  readonly reasonCount: () => number;
  readonly reasons: () => readonly string[];
  readonly notes: () => readonly string[];
}

export function createDraft(): Draft {
  const byPhase = new Map<Phase, Operation[]>(phases.map((phase) => [phase, []]));
  const counts = new Map<Operation['kind'], number>();
  const emit: Draft['emit'] = (phase, ...operations) => {
    byPhase.get(phase)?.push(...operations);
    for (const { kind } of operations) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  const reasons = createList();
  const notes = createList();
  return {
    emit,
    take: (other) => {
      for (const phase of phases) emit(phase, ...other.of(phase));
    },
    of: (phase) => byPhase.get(phase) ?? [],
    reload: reasons.add,
    note: notes.add,
    operations: () => phases.flatMap((phase) => byPhase.get(phase) ?? []),
    counts: () => counts,
    reasonCount: reasons.count,
    reasons: reasons.list,
    notes: notes.list,
  };
}

/** Keeps the first texts, each once; the last one of a long list says how many there were besides. */
function createList() {
  const kept = new Set<string>();
  let omitted = 0;
  return {
    add: (text: string) => {
      if (kept.has(text)) return;
      if (kept.size < limits.reasons) kept.add(text);
      else omitted++;
    },
    count: () => kept.size + omitted,
    list: () =>
      omitted === 0 ? [...kept] : [...[...kept].slice(0, limits.reasons - 1), `and ${omitted + 1} more`],
  };
}
