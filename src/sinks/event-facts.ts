import { type Observable, distinctUntilChanged, map, merge, mergeMap } from 'rxjs';
import type { LatchVerdict } from '../gate/latch.ts';
import {
  quarantinedObjects,
  type QuarantinedObject,
  type QuarantineState,
} from '../gate/quarantine-state.ts';
import { diffOrderedMaps, emptyOrderedMap } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { DeclaredEvent } from '../protocol/declared.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import { type EventChange, type EventFact, eventFact } from './event-fact.ts';
import { eventReasons as reasons } from './event-reasons.ts';
import type { RecoveryState } from './retained/recovery-state.ts';

export interface FactInputs {
  readonly bundle$: Observable<Bundle>;
  readonly quarantine$: Observable<QuarantineState>;
  readonly verdict$: Observable<LatchVerdict>;
  readonly delivery$: Observable<DeliveryReport>;
  readonly recovery$: Observable<RecoveryState>;
  /** Whom to tell what is about no object: the configuration. */
  readonly config: Owner;
}

/**
 * What there is to tell about objects, as changes of state: problems and what templates record begin and end, objects come into
 * quarantine and leave it, renders are refused and accepted again, pods refuse what they are given.
 *
 * Loss policy: none. Never errors, never completes before its sources.
 */
export function eventFacts({
  bundle$,
  quarantine$,
  verdict$,
  delivery$,
  recovery$,
  config,
}: FactInputs): Observable<EventChange> {
  // Most problems are those of before, and there may be very many.
  const facts = new WeakMap<Problem, EventFact>();
  const factOf = (problem: Problem): EventFact => {
    const fact = facts.get(problem) ?? factOfProblem(problem, config);
    facts.set(problem, fact);
    return fact;
  };
  return merge(
    bundle$.pipe(
      map(({ problems }) => problems),
      distinctUntilChanged(),
      changesOf((problems: readonly Problem[]) => problems.map(factOf)),
    ),
    bundle$.pipe(
      map(({ events = noEvents }) => events),
      distinctUntilChanged(),
      declaredChanges(),
    ),
    quarantine$.pipe(quarantineChanges()),
    verdict$.pipe(verdictChanges(config)),
    delivery$.pipe(deliveryChanges(config)),
    recovery$.pipe(changesOf((state: RecoveryState) => factsOfRecovery(state, config))),
  );
}

const noEvents = emptyOrderedMap<DeclaredEvent>();

function factOfProblem({ owner, reason, field, message }: Problem, config: Owner): EventFact {
  const isTemplate = owner.kind === 'Template';
  const where = isTemplate ? formatOwner(owner) : field;
  return eventFact({
    about: isTemplate ? config : owner,
    type: 'Warning',
    reason,
    action: 'Render',
    note: where === '' ? message : `${where}: ${message}`,
    lasting: true,
  });
}

/** What came and went between two lists of facts. O(both), at changes only. */
function changesOf<T>(factsOf: (value: T) => readonly EventFact[]) {
  let known: ReadonlyMap<string, EventFact> = new Map();
  return mergeMap((value: T): readonly EventChange[] => {
    const present = new Map(factsOf(value).map((fact) => [fact.key, fact] as const));
    const changes = [
      ...[...known.keys()].filter((key) => !present.has(key)).map((key) => ({ kind: 'ended', key }) as const),
      ...[...present.values()]
        .filter(({ key }) => !known.has(key))
        .map((fact) => ({ kind: 'begun', fact }) as const),
    ];
    known = present;
    return changes;
  });
}

/** O(what changed). */
function declaredChanges() {
  let known = noEvents;
  return mergeMap((events: typeof noEvents): readonly EventChange[] => {
    const changes = [...diffOrderedMaps(known, events)].flatMap(({ before, after }): EventChange[] => [
      ...(before === undefined ? [] : [{ kind: 'ended', key: factOfDeclared(before).key } as const]),
      ...(after === undefined ? [] : [{ kind: 'begun', fact: factOfDeclared(after) } as const]),
    ]);
    known = events;
    return changes;
  });
}

function factOfDeclared({ about, type, reason, message }: DeclaredEvent): EventFact {
  return eventFact({ about, type, reason, action: 'Render', note: message, lasting: true });
}

function quarantineChanges() {
  let known: ReadonlyMap<string, EventFact> = new Map();
  return mergeMap((state: QuarantineState): readonly EventChange[] => {
    const present = new Map(
      quarantinedObjects(state)
        .filter((object) => object.state === 'refused')
        .map((object) => [formatOwner(object.owner), factOfQuarantine(object)] as const),
    );
    const changes: EventChange[] = [];
    for (const [owner, fact] of known) {
      if (present.get(owner)?.key !== fact.key) changes.push({ kind: 'ended', key: fact.key });
      if (present.has(owner)) continue;
      const { about } = fact;
      const note = 'is not held back any more';
      const { quarantineEnded: reason } = reasons;
      changes.push({
        kind: 'happened',
        fact: eventFact({ about, type: 'Normal', reason, action: 'Check', note, lasting: false }),
      });
    }
    for (const [owner, fact] of present)
      if (known.get(owner)?.key !== fact.key) changes.push({ kind: 'begun', fact });
    known = present;
    return changes;
  });
}

function factOfQuarantine({ owner, kind, words }: QuarantinedObject): EventFact {
  const served = kind === 'pinned' ? 'what was accepted last stays in effect' : 'nothing of it is served';
  return eventFact({
    about: owner,
    type: 'Warning',
    reason: reasons.quarantined,
    action: 'Check',
    note: `HAProxy refuses what this object says, ${served}: ${words}`,
    lasting: true,
  });
}

function verdictChanges(config: Owner) {
  let refusal: string | undefined;
  return mergeMap(({ kind, findings = [] }: LatchVerdict): readonly EventChange[] => {
    const happened = (type: EventFact['type'], reason: string, note: string): readonly EventChange[] => [
      {
        kind: 'happened',
        fact: eventFact({ about: config, type, reason, action: 'Check', note, lasting: false }),
      },
    ];
    if (kind === 'accepted') {
      if (refusal === undefined) return [];
      refusal = undefined;
      return happened('Normal', reasons.renderAccepted, 'HAProxy accepts the configuration again');
    }
    if (kind !== 'refused') return [];
    const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
    const words = `${findings[0]?.message ?? 'it gives no reason'}${more}`;
    if (words === refusal) return [];
    refusal = words;
    return happened('Warning', reasons.renderRefused, `HAProxy refuses the configuration: ${words}`);
  });
}

function deliveryChanges(config: Owner) {
  /** What each pod said last. */
  const rejections = new Map<string, string>();
  return mergeMap((report: DeliveryReport): readonly EventChange[] => {
    const { key } = report.pod;
    if (report.kind !== 'failed') {
      rejections.delete(key);
      return [];
    }
    if (report.stage !== 'rejected' || rejections.get(key) === report.message) return [];
    if (rejections.size >= 1_000) rejections.clear();
    rejections.set(key, report.message);
    const note = `the HAProxy pod ${key} refuses what it is given: ${report.message}`;
    const { applyRejected: reason } = reasons;
    return [
      {
        kind: 'happened',
        fact: eventFact({ about: config, type: 'Warning', reason, action: 'Apply', note, lasting: false }),
      },
    ];
  });
}

function factsOfRecovery(state: RecoveryState, config: Owner): readonly EventFact[] {
  const fact = (reason: string, note: string): readonly EventFact[] => [
    eventFact({ about: config, type: 'Warning', reason, action: 'Apply', note, lasting: true }),
  ];
  switch (state.kind) {
    case 'off':
    case 'pending':
      return [];
    case 'active':
      return fact(
        reasons.retainedActive,
        `nothing new can be rendered, and HAProxy pods have the retained render ${state.planId}: ${state.error}`,
      );
    case 'unavailable':
      return fact(
        reasons.retainedUnavailable,
        `nothing new can be rendered, and new HAProxy pods get nothing, since ${state.message} (${state.reason}): ${state.error}`,
      );
  }
}
