import { digest, digestValue } from '../lib/digest.ts';
import { diffOrderedMaps, emptyOrderedMap, type OrderedMap } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import {
  planSchemaVersion,
  type Plan,
  type PlanCrtList,
  type PlanFile,
  type PlanMap,
  type Profile,
  type Section,
} from '../protocol/plan.ts';
import { backendRecord } from './backend-record.ts';

export type PlanParts = Omit<Plan, 'id' | 'schemaVersion'>;

/** One sum per part: the digests of its records, added modulo 2^64, so that neither order nor history shows in it. */
interface PlanSums {
  readonly sections: bigint;
  readonly backends: bigint;
  readonly profiles: bigint;
  readonly maps: bigint;
  readonly crtLists: bigint;
  readonly files: bigint;
}

const modulus = 64;
/** Records between two pauses. */
const slice = 64;
const noSums: PlanSums = { sections: 0n, backends: 0n, profiles: 0n, maps: 0n, crtLists: 0n, files: 0n };
const knownSums = new WeakMap<Plan, PlanSums>();

/** What `createPlan` does, with pauses: see there. */
export function* planInSlices(parts: PlanParts, previous?: Plan): Slices<Plan> {
  const from = previous === undefined ? undefined : knownSums.get(previous);
  const base = from === undefined ? undefined : previous;
  const sums: PlanSums = {
    sections: yield* advance(from?.sections, base?.sections, parts.sections, sectionRecord),
    backends: yield* advance(from?.backends, base?.backends, parts.backends, backendRecord),
    profiles: yield* advance(from?.profiles, base?.profiles, parts.profiles, profileRecord),
    maps: yield* advance(from?.maps, base?.maps, parts.maps, mapRecord),
    crtLists: yield* advance(from?.crtLists, base?.crtLists, parts.crtLists, crtListRecord),
    files: yield* advance(from?.files, base?.files, parts.files, fileRecord),
  };
  const { sections, backends, profiles, maps, crtLists, files } = parts;
  const plan: Plan = {
    schemaVersion: planSchemaVersion,
    id: idOf(sums),
    sections,
    backends,
    profiles,
    maps,
    crtLists,
    files,
  };
  knownSums.set(plan, sums);
  return plan;
}

function idOf(sums: PlanSums): string {
  const parts = Object.entries({ ...noSums, ...sums }).map(([name, sum]) => `${name}=${sum.toString(16)}`);
  return digest(`plan/${planSchemaVersion} ${parts.join(' ')}`);
}

function* advance<V>(
  sum: bigint | undefined,
  before: OrderedMap<V> | undefined,
  after: OrderedMap<V>,
  record: (value: V) => string,
): Slices<bigint> {
  let total = sum ?? 0n;
  let count = 0;
  for (const change of diffOrderedMaps(before ?? emptyOrderedMap<V>(), after)) {
    if (change.before !== undefined) total -= digestValue(record(change.before));
    if (change.after !== undefined) total += digestValue(record(change.after));
    if (++count % slice === 0) yield;
  }
  return BigInt.asUintN(modulus, total);
}

/** The bytes and their order are in the config file's digest; this adds where the parts begin and what they are. */
function sectionRecord(section: Section): string {
  return `${section.kind}\0${section.name}\0${section.text.length}`;
}

function profileRecord(profile: Profile): string {
  return `${profile.name}\0${profile.hasRules}\0${profile.text.length}`;
}

function mapRecord(map: PlanMap): string {
  return `${map.path}\0${map.ordered}\0${map.entries.size}`;
}

function crtListRecord(list: PlanCrtList): string {
  return `${list.path}\0${list.entries.size}`;
}

function fileRecord(file: PlanFile): string {
  return `${file.path}\0${file.kind}\0${file.reloadOnChange}\0${file.digest}\0${file.size}`;
}
