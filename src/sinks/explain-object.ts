import type { QuarantineState } from '../gate/quarantine-state.ts';
import { entriesOf, getEntry, type OrderedMap, valuesOf } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import { textWithoutPasswords } from '../lib/text-without-passwords.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { ObjectReference } from '../protocol/declared.ts';

/** Everything that one Kubernetes object has brought about in a render. */
export interface ExplainedObject {
  /** As `formatOwner` has it: `Ingress web/shop`. */
  readonly object: string;
  readonly planId: string;
  /** Parts of haproxy.cfg, with the lines where they stand, from 1. */
  readonly sections: readonly {
    readonly kind: string;
    readonly name: string;
    readonly template: string;
    readonly firstLine: number;
    readonly lastLine: number;
    readonly text: string;
  }[];
  readonly mapEntries: readonly { readonly path: string; readonly line: string }[];
  /** Backends that its map entries name, and whose they are. */
  readonly leadsTo: readonly {
    readonly backend: string;
    readonly profile: string;
    readonly owner?: string;
  }[];
  readonly crtListEntries: readonly { readonly path: string; readonly line: string }[];
  readonly files: readonly { readonly path: string; readonly kind: string; readonly size: number }[];
  /** Objects that it declares, and objects of which it declares a status. */
  readonly resources: readonly string[];
  readonly statuses: readonly string[];
  /** What is wrong with it. */
  readonly problems: readonly Problem[];
  /** Why it is held back, if it is. */
  readonly held?: {
    readonly kind: string;
    readonly state: string;
    readonly since: string;
    readonly words: string;
  };
  /** What was left out of a list that is too long. */
  readonly omitted: number;
}

const most = 200;
const mostText = 8 * 1024;

/** Looks through the whole render: for people who ask, not for each change. O(sections + entries). Undefined: the object has no part in it. */
export function explainObject(
  { plan, problems, resources, statusPatches }: Bundle,
  { entries }: Pick<QuarantineState, 'entries'>,
  object: string,
): ExplainedObject | undefined {
  let omitted = 0;
  const isOurs = sameOwner(object);
  const bounded = <T>(list: T[], item: () => T): void => {
    if (list.length < most) list.push(item());
    else omitted++;
  };
  const sections: ExplainedObject['sections'][number][] = [];
  let line = 1;
  for (const { kind, name, template, text, owner } of valuesOf(plan.sections)) {
    const firstLine = line;
    line += newlinesIn(text);
    if (isOurs(owner))
      bounded(sections, () => ({
        kind,
        name,
        template,
        firstLine,
        lastLine: Math.max(firstLine, line - 1),
        text: textWithoutPasswords(text).slice(0, mostText),
      }));
  }
  const linesOf = (
    lists: OrderedMap<{
      readonly path: string;
      readonly entries: OrderedMap<{ text: string; owner?: Owner }>;
    }>,
  ) => {
    const found: { readonly path: string; readonly line: string }[] = [];
    for (const { path, entries: all } of valuesOf(lists))
      for (const { text, owner } of valuesOf(all))
        if (isOurs(owner)) bounded(found, () => ({ path, line: text.trimEnd().slice(0, mostText) }));
    return found;
  };
  const declared = <T extends { readonly owner: Owner }>(
    all: OrderedMap<T> | undefined,
    referenceOf: (value: T) => ObjectReference,
  ): string[] => {
    const found: string[] = [];
    for (const [, value] of all === undefined ? [] : entriesOf(all))
      if (isOurs(value.owner)) bounded(found, () => formatOwner(referenceOf(value)));
    return found;
  };
  const files: ExplainedObject['files'][number][] = [];
  for (const { path, kind, size, owner } of valuesOf(plan.files))
    if (isOurs(owner)) bounded(files, () => ({ path, kind, size }));
  const leadsTo = new Map<string, ExplainedObject['leadsTo'][number]>();
  for (const { entries: all } of valuesOf(plan.maps))
    for (const { value, owner } of valuesOf(all)) {
      if (!isOurs(owner) || leadsTo.size >= most) continue;
      const backend = getEntry(plan.backends, value);
      if (backend !== undefined)
        leadsTo.set(value, {
          backend: value,
          profile: backend.profile,
          ...(backend.owner && { owner: formatOwner(backend.owner) }),
        });
    }
  const held = entries.get(object);
  const ofObject = problems.filter(({ owner }) => isOurs(owner)).slice(0, most);
  const explained: ExplainedObject = {
    object,
    planId: plan.id,
    sections,
    mapEntries: linesOf(plan.maps),
    leadsTo: [...leadsTo.values()],
    crtListEntries: linesOf(plan.crtLists),
    files,
    resources: declared(resources, ({ reference }) => reference),
    statuses: declared(statusPatches, ({ target }) => target),
    problems: ofObject,
    ...(held !== undefined && {
      held: {
        kind: held.kind,
        state: held.state,
        since: new Date(held.since).toISOString(),
        words: held.words,
      },
    }),
    omitted,
  };
  const { mapEntries, crtListEntries, statuses } = explained;
  const parts = [sections, mapEntries, crtListEntries, files, explained.resources, statuses, ofObject];
  return held === undefined && parts.every(({ length }) => length === 0) ? undefined : explained;
}

/** Owners of one object are mostly one and the same object. */
function sameOwner(object: string): (owner: Owner | undefined) => boolean {
  let last: Owner | undefined;
  let isSame = false;
  return (owner) => {
    if (owner === undefined) return false;
    if (owner !== last) {
      last = owner;
      isSame = formatOwner(owner) === object;
    }
    return isSame;
  };
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
