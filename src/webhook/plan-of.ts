import { digest } from '../lib/digest.ts';
import { editOrderedMap, entriesOf, getEntry, orderedMapFrom, type OrderedMap } from '../lib/ordered-map.ts';
import { ropeBytes, ropeDigest, ropeSize } from '../lib/rope.ts';
import { createPlan } from '../plan/create-plan.ts';
import type { Plan, PlanFile, Section } from '../protocol/plan.ts';
import { crtListFileOf } from '../render/crt-list-state.ts';
import { mapFileOf } from '../render/map-state.ts';

/** Where the configuration itself stands in every bundle. */
export const configPath = 'haproxy.cfg';

/** What a plan for a check is made of; the files of configuration, maps and crt-lists follow from the rest. */
export interface CheckParts extends Pick<Plan, 'sections' | 'maps' | 'crtLists'> {
  readonly backends: Plan['backends'];
  readonly profiles: Plan['profiles'];
  /** By path; others of `configPath`, maps and crt-lists are left alone. */
  readonly files: OrderedMap<PlanFile>;
}

/** A plan that exists for a check alone. */
export function planOf({ sections, backends, profiles, maps, crtLists, files }: CheckParts): Plan {
  const made = new Map<string, PlanFile>([[configPath, configFileOf(sections)]]);
  for (const [path, { entries }] of entriesOf(maps)) made.set(path, mapFileOf(path, entries));
  for (const [path, { entries }] of entriesOf(crtLists)) made.set(path, crtListFileOf(path, entries));
  return createPlan({ sections, backends, profiles, maps, crtLists, files: editOrderedMap(files, made) });
}

export function configFileOf(sections: OrderedMap<Section>): PlanFile {
  return {
    path: configPath,
    kind: 'config',
    reloadOnChange: true,
    digest: ropeDigest(sections),
    size: ropeSize(sections),
    content: () => ropeBytes(sections),
  };
}

/** The same file with another text. */
export function withText(file: PlanFile, text: string): PlanFile {
  const bytes = new TextEncoder().encode(text);
  return { ...file, digest: digest(text), size: bytes.byteLength, content: () => [bytes] };
}

export function textOf(file: PlanFile): string {
  return Buffer.concat(file.content()).toString('utf8');
}

/** Those entries of a map that are at these keys. */
export function pick<V>(map: OrderedMap<V>, keys: Iterable<string>): OrderedMap<V> {
  const picked: [string, V][] = [];
  for (const key of keys) {
    const value = getEntry(map, key);
    if (value !== undefined) picked.push([key, value]);
  }
  return orderedMapFrom(picked);
}
