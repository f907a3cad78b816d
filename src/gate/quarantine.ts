import { emptyOrderedMap } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Bundle } from '../protocol/bundle.ts';
import { changedOwners, outputsDigest } from '../protocol/changed-owners.ts';
import type { KeptOutputs } from '../protocol/kept-outputs.ts';
import { noQuarantine, type Outputs, type Provenance, type Quarantine } from '../protocol/provenance.ts';
import type { LatchVerdict } from './latch.ts';
import { ownersOf } from './owners-of.ts';
import {
  emptyQuarantine,
  type QuarantineEntry,
  type QuarantineState,
  type Search,
  type Suspect,
} from './quarantine-state.ts';

/** A render that is checked to find out about held objects; it is released only if it passes, as a later render. */
export interface Trial {
  readonly quarantine: Quarantine;
  /** Objects that are let in for the check. */
  readonly released: readonly Suspect[];
  /** A step of the present search; else all that can be tried together. */
  readonly isStep: boolean;
}

/** Contents of one object that are remembered as refused. */
const maxRefused = 16;
/** Objects that may be left out before HAProxy has accepted a first render, whatever their share. */
const fewExcluded = 16;
/** Milliseconds after which a content that was refused is tried again, if something else changed: others may have been the cause. */
const secondChance = 300_000;
const nobody: Outputs = emptyOrderedMap();

/** A render comes to the check: objects that say again what they are held at are held no more. */
export function onRender(state: QuarantineState, { plan, provenance }: Bundle): QuarantineState {
  if (provenance === undefined) return state;
  const now = provenance.generation === state.generation ? state : ofGeneration(state, provenance.generation);
  const isAccepted = now.accepted?.plan.id === plan.id && now.accepted.provenance !== undefined;
  // Equal content may have come from other objects since.
  const accepted = isAccepted ? { accepted: { ...now.accepted, provenance } } : {};
  const next = { ...now, ...accepted };
  if (provenance.quarantine !== next.quarantine) return next;
  const gone = [...next.entries.keys()].filter((key) => !provenance.withheld.has(key));
  return gone.length === 0 ? next : letGo(next, gone);
}

/**
 * What the pods keep from an earlier process is known, after a first render was refused. Of the same configuration, it is what objects
 * are held at. Of another one, it says whom that served.
 */
export function onRecall(
  state: QuarantineState,
  { provenance }: Bundle,
  kept: KeptOutputs | undefined,
): QuarantineState {
  if (kept === undefined || provenance === undefined) return state;
  if (provenance.generation !== state.generation || state.accepted !== undefined) return state;
  const recalled = provenance.restore(kept);
  return recalled === undefined
    ? { ...state, served: new Set([...state.served, ...ownersOf(kept.outputs)]) }
    : { ...state, recalled };
}

/** HAProxy has judged a render: whoever is to blame is held from now on. */
export function onVerdict(
  state: QuarantineState,
  bundle: Bundle,
  verdict: LatchVerdict,
  now: number,
): QuarantineState {
  const { provenance } = bundle;
  if (provenance === undefined || provenance.generation !== state.generation || verdict.kind === 'unchecked')
    return state;
  if (verdict.kind === 'accepted') return onAccepted(state, bundle);
  const at = lastOutputs(state) ?? nobody;
  const isNewest = provenance.quarantine === state.quarantine;
  const bad = isNewest ? blamedRecalled(state, verdict) : [];
  if (bad.length > 0) return hold(state, nobody, bad, 'refused', wordsOf(verdict), now);
  const suspects = suspectsOf(at, provenance.outputs).filter(
    ({ key }) => !state.entries.has(key) && !provenance.quarantine.has(key),
  );
  const { certain, doubtful } = accused(verdict, suspects);
  if (certain.length + doubtful.length > 0) {
    const words = wordsOf(verdict);
    if (isTooMuch(state, [...certain, ...doubtful], suspects)) return { ...state, stuck: words('') };
    const without = certain.length > 0 ? hold(state, at, certain, 'refused', words, now) : state;
    if (doubtful.length === 0 || (certain.length > 0 && without.stuck !== undefined)) return without;
    return hold(without, at, doubtful, 'suspected', words, now);
  }
  // Of a time before somebody was held: a newer render is on its way.
  if (!isNewest) return state;
  const [only] = suspects;
  const words = wordsOf(verdict)('');
  if (only === undefined && state.recalled !== undefined)
    return onVerdict(withoutRecalled(state), bundle, verdict, now);
  if (only === undefined) return { ...state, stuck: words };
  if (suspects.length === 1) return hold(state, at, [only], 'refused', () => words, now);
  const present = ownersOf(at);
  const ordered = inOrder(suspects, (key) => present.has(key));
  if (lastOutputs(state) === undefined) {
    const { outputs } = provenance;
    const begun = state.search?.isHeld === false ? continued(state.search, ordered, outputs) : undefined;
    const search = begun ?? { suspects: ordered, good: -1, bad: ordered.length, isHeld: false };
    return { ...state, search: { ...search, words, outputs } };
  }
  const held = hold(state, at, ordered, 'suspected', () => words, now);
  if (held.stuck !== undefined) return held;
  return { ...held, search: { suspects: ordered, good: 0, bad: ordered.length, words, isHeld: true } };
}

/**
 * What to check next to find out about held objects: half of those among which somebody is to blame, or those of them that have not changed meanwhile, else all
 * whose content was not refused yet. Undefined when there is nothing to find out, or when `bundle` was not rendered under the present quarantine.
 */
export function nextTrial(state: QuarantineState, { provenance }: Bundle, now: number): Trial | undefined {
  if (provenance === undefined || provenance.quarantine !== state.quarantine) return undefined;
  const { search, quarantine, entries } = state;
  if (search?.isHeld === false) return suspectTrial(search, quarantine);
  const isSearching = search !== undefined && isStillThere(search, provenance);
  const untried = [...entries].flatMap(([key, entry]) => untriedContent(key, entry, provenance, now) ?? []);
  const released = isSearching
    ? search.suspects.slice(search.good, middleOf(search))
    : calmOf(search, untried, provenance);
  if (released.length === 0) return undefined;
  return { quarantine: without(quarantine, released), released, isStep: isSearching };
}

/** HAProxy has judged the render of a trial. */
export function onTrial(
  state: QuarantineState,
  trial: Trial,
  candidate: Bundle,
  verdict: LatchVerdict,
  now: number,
): QuarantineState {
  if (verdict.kind === 'unchecked') return state;
  const { search, ...rest } = state;
  const step = trial.isStep ? search : undefined;
  const keys = trial.released.map(({ key }) => key);
  if (verdict.kind === 'accepted') {
    const released = step?.isHeld === false ? state : { ...letGo(state, keys), accepted: candidate };
    if (step === undefined) return withSearch(released, undefined);
    return conclude(released, { ...step, good: middleOf(step) }, now);
  }
  const { certain } = accused(verdict, trial.released);
  if (certain.length > 0) return condemn(rest, certain, wordsOf(verdict), now);
  const words = wordsOf(verdict)('');
  if (step !== undefined && middleOf(step) === 0) return { ...rest, stuck: words };
  // What passed before does not any more: somebody changed who was thought to be good.
  if (step !== undefined && middleOf(step) <= step.good) return { ...rest, search: anew(step) };
  if (step !== undefined) return conclude(state, { ...step, bad: middleOf(step) }, now);
  if (trial.released.length === 1) return condemn(rest, trial.released, () => words, now);
  const suspects = inOrder(trial.released, (key) => state.entries.get(key)?.kind === 'pinned');
  return { ...rest, search: { suspects, good: 0, bad: suspects.length, words, isHeld: true } };
}

function onAccepted(state: QuarantineState, accepted: Bundle): QuarantineState {
  const { stuck: _stuck, recalled: _recalled, search, ...rest } = state;
  const next = { ...rest, accepted, served: emptyQuarantine.served };
  return search?.isHeld === true ? { ...next, search } : next;
}

/** A search that is down to one has found it. One that is down to those that change all the time leaves them to be tried while others go on. */
function conclude(state: QuarantineState, search: Search, now: number): QuarantineState {
  const { suspects, good, calm = suspects.length, words } = search;
  if (!search.isHeld && good >= calm)
    return hold(state, lastOutputs(state) ?? nobody, suspects.slice(good), 'suspected', () => words, now);
  const culprit = search.suspects[search.bad - 1];
  if (search.bad - search.good > 1 || culprit === undefined) return { ...state, search };
  return condemn(withSearch(state, undefined), [culprit], () => search.words, now);
}

function condemn(
  state: QuarantineState,
  culprits: readonly Suspect[],
  words: (key: string) => string,
  now: number,
): QuarantineState {
  const entries = new Map(state.entries);
  const strangers = culprits.filter(({ key, digest }) => {
    const entry = entries.get(key);
    if (entry === undefined) return true;
    const refused = new Set([...entry.refused, digest].slice(-maxRefused));
    entries.set(key, { ...entry, state: 'refused', refused, triedAt: now, words: words(key) });
    return false;
  });
  const next = { ...state, entries };
  if (strangers.length === 0) return next;
  return hold(next, lastOutputs(state) ?? nobody, strangers, 'refused', words, now);
}

/** What objects are held at: of the render that HAProxy accepted last, in this process or before. */
function lastOutputs({ accepted, recalled }: QuarantineState): Outputs | undefined {
  return accepted?.provenance?.outputs ?? recalled;
}

/** Objects that are refused also as they were in an earlier process: what they leaned on is not there any more. */
function blamedRecalled({ accepted, recalled, entries }: QuarantineState, verdict: LatchVerdict) {
  if (accepted !== undefined || recalled === undefined) return [];
  const held = [...entries].filter(([, { at }]) => at === recalled);
  const { certain, doubtful } = accused(
    verdict,
    held.map(([key, { owner }]) => ({ key, owner, digest: '' })),
  );
  return [...certain, ...doubtful];
}

/** What is known from an earlier process does not help: as if nothing were. */
function withoutRecalled(state: QuarantineState): QuarantineState {
  const { recalled: _recalled, search: _search, ...rest } = state;
  return { ...rest, entries: emptyQuarantine.entries, quarantine: noQuarantine };
}

/** Before a first render was accepted: where most objects are refused, the templates are bad, and pods may still serve well. */
function isTooMuch(
  state: QuarantineState,
  culprits: readonly Suspect[],
  suspects: readonly Suspect[],
): boolean {
  const { entries } = state;
  const out = entries.size + culprits.length;
  return lastOutputs(state) === undefined && out > fewExcluded && out * 2 > entries.size + suspects.length;
}

/** Holds objects at what they were in `at`; nobody, if one would be left out that the former configuration served. */
function hold(
  state: QuarantineState,
  at: Outputs,
  suspects: readonly Suspect[],
  as: QuarantineEntry['state'],
  words: (key: string) => string,
  now: number,
): QuarantineState {
  const present = ownersOf(at);
  const entries = new Map(state.entries);
  for (const suspect of suspects) {
    const { key, owner } = suspect;
    entries.set(key, {
      kind: present.has(key) ? 'pinned' : 'excluded',
      owner,
      at,
      state: as,
      since: now,
      words: words(key),
      refused: as === 'refused' ? new Set([suspect.digest]) : new Set(),
      triedAt: now,
    });
  }
  const { stuck: _stuck, search: _search, ...rest } = state;
  const first = suspects.find(({ key }) => state.served.has(key));
  if (first !== undefined) return { ...rest, stuck: words(first.key) };
  return { ...rest, entries, quarantine: entries };
}

function letGo(state: QuarantineState, keys: readonly string[]): QuarantineState {
  const entries = new Map(state.entries);
  let isCured = false;
  for (const key of keys) {
    isCured ||= entries.get(key)?.state === 'refused';
    entries.delete(key);
  }
  if (entries.size === state.entries.size) return state;
  // What depended on one that is good now may be good too.
  if (isCured) for (const [key, entry] of entries) entries.set(key, { ...entry, refused: new Set() });
  return { ...state, entries, quarantine: entries.size === 0 ? noQuarantine : entries };
}

function anew({ calm: _calm, ...search }: Search): Search {
  return { ...search, good: -1, bad: search.suspects.length };
}

function withSearch(state: QuarantineState, search: Search | undefined): QuarantineState {
  const { search: _search, ...rest } = state;
  return search === undefined ? rest : { ...rest, search };
}

function ofGeneration(state: QuarantineState, generation: object): QuarantineState {
  const former = lastOutputs(state);
  return { ...emptyQuarantine, generation, served: former === undefined ? state.served : ownersOf(former) };
}

function suspectTrial(search: Search, quarantine: Quarantine): Trial {
  const middle = middleOf(search);
  const held = search.suspects
    .slice(middle)
    .map(({ key, owner }) => [key, { kind: 'excluded', owner, at: nobody }] as const);
  return {
    quarantine: new Map([...quarantine, ...held]),
    released: search.suspects.slice(0, middle),
    isStep: true,
  };
}

/** How many suspects the next trial lets in: none of those that change, as long as there are others. */
function middleOf({ good, bad, calm = bad }: Search): number {
  return good < 0 ? 0 : Math.min((good + bad) >> 1, Math.max(calm, good));
}

function isStillThere({ suspects, good, bad }: Search, { withheld }: Provenance): boolean {
  return suspects.slice(good, bad).every(({ key, digest }) => withheld.get(key) === digest);
}

/**
 * Of a search that some got out of hand by changing, the others; else all: those that change all the time keep nobody but themselves out.
 */
function calmOf(
  search: Search | undefined,
  untried: readonly Suspect[],
  { withheld }: Provenance,
): readonly Suspect[] {
  const keys = new Set(untried.map(({ key }) => key));
  const calm = search?.suspects.filter(({ key, digest }) => keys.has(key) && withheld.get(key) === digest);
  return calm === undefined || calm.length === 0 ? untried : calm;
}

function untriedContent(
  key: string,
  { owner, refused, triedAt }: QuarantineEntry,
  { withheld }: Provenance,
  now: number,
): Suspect | undefined {
  const digest = withheld.get(key);
  if (digest === undefined || (refused.has(digest) && now - triedAt < secondChance)) return undefined;
  return { key, owner, digest };
}

function without(quarantine: Quarantine, released: readonly Suspect[]): Quarantine {
  const left = new Map(quarantine);
  for (const { key } of released) left.delete(key);
  return left.size === 0 ? noQuarantine : left;
}

function suspectsOf(at: Outputs, outputs: Outputs): readonly Suspect[] {
  return [...changedOwners(at, outputs)].map(([key, { owner, outputs: changed }]) => {
    let digest: string | undefined;
    return {
      key,
      owner,
      // Of most suspects nobody asks it.
      get digest() {
        return (digest ??= outputsDigest(changed));
      },
    };
  });
}

/** Those that were served before come first: of two that exclude each other, the newcomer is found. */
function inOrder(suspects: readonly Suspect[], isPinned: (key: string) => boolean): readonly Suspect[] {
  return suspects
    .map((suspect) => ({ suspect, rank: `${isPinned(suspect.key) ? 0 : 1} ${suspect.key}` }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ suspect }) => suspect);
}

/**
 * A search in the next render that is refused. What was found out about suspects that are as they were still counts, so that it comes to its end while
 * others come, go and change: those are looked at last. Undefined if it may have been none of those that are left.
 */
function continued(
  search: Search,
  present: readonly Suspect[],
  outputs: Outputs,
): Omit<Search, 'words'> | undefined {
  const { suspects, good, bad, isHeld } = search;
  const changed = changedOwners(search.outputs ?? nobody, outputs);
  const there = new Set(present.map(({ key }) => key));
  const isAsItWas = ({ key }: Suspect) => there.has(key) && !changed.has(key);
  const first = Math.max(good, 0);
  const known = suspects.slice(0, first).filter(isAsItWas);
  const left = suspects.slice(first, bad).filter(isAsItWas);
  const beyond = suspects.slice(bad).filter(isAsItWas);
  const calm = [...known, ...left, ...beyond];
  const keys = new Set(calm.map(({ key }) => key));
  const all = [...calm, ...present.filter(({ key }) => !keys.has(key))];
  // Whoever it is may be among those that changed.
  const isSure = left.length === bad - first;
  const next = isSure ? known.length + left.length : all.length;
  if (next === known.length) return undefined;
  return { suspects: all, good: good < 0 ? good : known.length, bad: next, calm: calm.length, isHeld };
}

interface Accused {
  /** Named by line, by file or as users of what is named. */
  readonly certain: readonly Suspect[];
  /** It is these, or those whose lines name their files, which are among them, too. */
  readonly doubtful: readonly Suspect[];
}

/** Those of the objects that the refusal names. */
function accused({ findings = [] }: LatchVerdict, suspects: readonly Suspect[]): Accused {
  const keys = new Set(suspects.map(({ key }) => key));
  const certain = new Set<string>();
  const doubtful = new Set<string>();
  for (const finding of findings) {
    const named = ownersNamed(finding)
      .map(formatOwner)
      .filter((key) => keys.has(key));
    const isCertain = finding.usedBy === undefined || named.length < 2;
    for (const key of named) (isCertain ? certain : doubtful).add(key);
  }
  return {
    certain: suspects.filter(({ key }) => certain.has(key)),
    doubtful: suspects.filter(({ key }) => doubtful.has(key) && !certain.has(key)),
  };
}

function ownersNamed({
  owner,
  usedBy,
  sharedBy,
}: NonNullable<LatchVerdict['findings']>[number]): readonly Owner[] {
  return [owner, usedBy, ...(sharedBy ?? [])].filter((one) => one !== undefined);
}

/** HAProxy's words about one object; about the whole where it has none about it. */
function wordsOf({ findings = [] }: LatchVerdict): (key: string) => string {
  return (key) =>
    (
      findings.find((finding) => ownersNamed(finding).some((owner) => formatOwner(owner) === key)) ??
      findings[0]
    )?.message ?? 'refused without a word';
}
