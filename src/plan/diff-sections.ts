import { diffOrderedMaps, getEntry, valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import type { Plan, Section } from '../protocol/plan.ts';
import type { DiffContext } from './diff-context.ts';
import { sameSection } from './same-record.ts';

/** Sections between two pauses. */
const batch = 256;

/**
 * Rule R1, the guard over haproxy.cfg: a core section that came, went or changed needs a reload, and so does a changed
 * section that no typed record explains. A section that only moved matters where others inherit by position.
 *
 * Returns whether any section changed at all.
 */
export function* diffSections({ worker, next, draft }: DiffContext): Slices<boolean> {
  const gone: Section[] = [];
  const came: Section[] = [];
  for (const { before, after } of diffOrderedMaps(worker.sections, next.sections)) {
    if (before !== undefined && after !== undefined && sameSection(before, after)) continue;
    if (before !== undefined) gone.push(before);
    if (after !== undefined) came.push(after);
  }
  if (gone.length === 0 && came.length === 0) return false;
  yield;
  const moved = takeMoved(gone, came);
  yield;
  if (moved.some((section) => isPositional(section, next)) && !samePositions(worker, next))
    draft.reload(`haproxy.cfg: the order of sections changed at ${describe(moved[0])}`);

  const came1 = new Set(came.map(describe));
  const gone1 = new Set(gone.map(describe));
  const arrived = new Set(came);
  let count = 0;
  for (const section of [...gone, ...came]) {
    const name = describe(section);
    if (section.kind === 'core') {
      const how = !came1.has(name) ? 'removed' : gone1.has(name) ? 'changed' : 'added';
      draft.reload(`${name}: ${how} (${section.template})`);
    } else if (!isExplained(section, arrived.has(section), worker, next))
      draft.reload(`${name}: its text changed with no record that explains it`);
    if (++count % batch === 0) yield;
  }
  return true;
}

/** Takes pairs of equal sections off both lists: these are where they were, or elsewhere in the file. */
function takeMoved(gone: Section[], came: Section[]): Section[] {
  const waiting = new Map<string, Section[]>();
  for (const section of came) {
    const same = waiting.get(section.text);
    if (same === undefined) waiting.set(section.text, [section]);
    else same.push(section);
  }
  const moved = new Set<Section>();
  const kept = gone.filter((section) => {
    const candidates = waiting.get(section.text) ?? [];
    const at = candidates.findIndex((candidate) => sameSection(section, candidate));
    if (at < 0) return true;
    for (const candidate of candidates.splice(at, 1)) moved.add(candidate);
    return false;
  });
  const arrived = came.filter((section) => !moved.has(section));
  gone.splice(0, gone.length, ...kept);
  came.splice(0, came.length, ...arrived);
  return [...moved];
}

/** Whether the meaning of a section, or of one near it, depends on where it stands. */
function isPositional(section: Section, plan: Plan): boolean {
  return section.kind !== 'backend' || (getEntry(plan.backends, section.name)?.profile ?? '') === '';
}

/** Compares the sequence of those sections that both plans have. O(n), for the rare case of a move. */
function samePositions(worker: Plan, next: Plan): boolean {
  const sequence = (plan: Plan) =>
    [...valuesOf(plan.sections)]
      .filter((section) => isPositional(section, plan))
      .map((section) => section.text);
  const before = sequence(worker);
  const after = sequence(next);
  const inBoth = (texts: readonly string[], other: readonly string[]) => {
    const known = new Set(other);
    return texts.filter((text) => known.has(text));
  };
  const left = inBoth(before, after);
  const right = inBoth(after, before);
  return left.length === right.length && left.every((text, at) => text === right[at]);
}

/**
 * A backend's or profile's record that differs is judged by its own rule. The records of a worker that was changed in place are ahead of
 * its sections.
 */
function isExplained(section: Section, isNew: boolean, worker: Plan, next: Plan): boolean {
  const text = (map: OrderedMap<{ readonly text: string }>) => getEntry(map, section.name)?.text;
  if (section.kind === 'profile') return text(worker.profiles) !== text(next.profiles);
  const held = text(worker.backends);
  return held !== text(next.backends) || (isNew ? held === section.text : held !== section.text);
}

function describe(section: Section | undefined): string {
  if (section === undefined) return 'haproxy.cfg';
  const kind = section.kind === 'core' ? 'section' : section.kind;
  return `${kind} ${section.name === '' ? section.template : section.name}`;
}
