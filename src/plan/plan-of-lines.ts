import type { ValidateFunction } from 'ajv';
import { CodedError } from '../lib/coded-error.ts';
import { orderedMapInSlices } from '../lib/ordered-map-in-slices.ts';
import { getEntry, valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import { ropeBytes, ropeDigestInSlices, type TextPiece } from '../lib/rope.ts';
import type { Slices } from '../lib/slices.ts';
import { crtListLine } from '../protocol/crt-list-line.ts';
import {
  planSchemaVersion,
  type Backend,
  type CrtListEntry,
  type MapEntry,
  type Plan,
  type PlanCrtList,
  type PlanFile,
  type PlanMap,
  type Profile,
  type Section,
} from '../protocol/plan.ts';
import { planInSlices } from './plan-in-slices.ts';
import { outputsBegin, planRecordSchemas, type PlanHeader, type PlanRecord } from './plan-records.ts';
import { planValidators } from './plan-validators.ts';

/** `unusable` means: no baseline. */
export type DecodedPlan =
  { readonly kind: 'decoded'; readonly plan: Plan } | { readonly kind: 'unusable'; readonly reason: string };

/** Records between two pauses. */
const slice = 32;

export interface PlanOfLines {
  readonly decoded: DecodedPlan;
  /** The line with which outputs begin; what is left of the lines are those. */
  readonly outputs?: string;
}

/** Reads the lines of a plan blob up to its outputs, with pauses: see `decodePlan`. */
export function* planOfLines(lines: Iterator<string, undefined>): Slices<PlanOfLines> {
  const header = parse(lines.next().value ?? '', isHeader);
  if (header === undefined) return unusable('it has no header');
  if (header.schemaVersion !== planSchemaVersion)
    return unusable(`it is of plan schema ${header.schemaVersion}, not ${planSchemaVersion}`);
  const builder = planBuilder();
  let count = 0;
  let outputs: string | undefined;
  for (let line = lines.next().value; line !== undefined; line = lines.next().value) {
    if (line === '') continue;
    if (line.startsWith(outputsBegin)) {
      outputs = line;
      break;
    }
    const record = parseRecord(line);
    if (record === undefined) return unusable(`record ${count + 1} is not one`);
    const problem = builder.add(record);
    if (problem !== undefined) return unusable(`record ${count + 1}: ${problem}`);
    if (++count % slice === 0) yield;
  }
  if (count !== header.records) return unusable(`it has ${count} records instead of ${header.records}`);
  const plan = yield* builder.finish();
  if (plan.id !== header.id) return unusable(`its content has id ${plan.id} instead of ${header.id}`);
  const stranger = yield* fileWithOtherBytes(plan);
  if (stranger !== undefined) return unusable(`the texts of ${stranger} have another digest`);
  return { decoded: { kind: 'decoded', plan }, ...(outputs === undefined ? {} : { outputs }) };
}

const isHeader = planValidators.header as ValidateFunction<PlanHeader>;
const recordValidators = new Map<unknown, ValidateFunction>(
  Object.keys(planRecordSchemas).map((kind) => [kind, planValidators[kind as PlanRecord[0]]]),
);

function parse<T>(line: string, validate: ValidateFunction<T>): T | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return validate(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The line's first element says which schema holds. */
function parseRecord(line: string): PlanRecord | undefined {
  const kind = /^\["(\w+)"/.exec(line)?.[1];
  const validate = recordValidators.get(kind) as ValidateFunction<PlanRecord> | undefined;
  return validate === undefined ? undefined : parse(line, validate);
}

type FileRecord = Extract<PlanRecord, { readonly 0: 'file' }>;

interface PlanBuilder {
  /** Takes a record in; says what is wrong with it, if anything. */
  add(record: PlanRecord): string | undefined;
  finish(): Slices<Plan>;
}

function planBuilder(): PlanBuilder {
  const sections: [string, Section][] = [];
  const printed = new Map<string, string>();
  const profiles: [string, Profile][] = [];
  const backends: [string, Backend][] = [];
  const maps: { path: string; ordered: boolean; entries: [string, MapEntry][] }[] = [];
  const crtLists: { path: string; entries: [string, CrtListEntry][] }[] = [];
  const files: FileRecord[] = [];
  return {
    add: (record) => {
      switch (record[0]) {
        case 'section': {
          const [, key, kind, name, text, template, owner] = record;
          printed.set(`${kind} ${name}`, text);
          sections.push([key, { kind, name, text, template, ...(owner === null ? {} : { owner }) }]);
          return undefined;
        }
        case 'profile': {
          const [, name, hasRules, own] = record;
          const text = own ?? printed.get(`profile ${name}`);
          if (text === undefined) return `profile ${name} has no text`;
          profiles.push([name, { name, hasRules, text }]);
          return undefined;
        }
        case 'backend': {
          const [, fields, own, owner] = record;
          const text = own ?? printed.get(`backend ${fields.name}`);
          if (text === undefined) return `backend ${fields.name} has no text`;
          backends.push([fields.name, { ...fields, text, ...(owner === null ? {} : { owner }) }]);
          return undefined;
        }
        case 'map':
          maps.push({ path: record[1], ordered: record[2], entries: [] });
          return undefined;
        case 'entry': {
          const [, position, key, value, own, owner] = record;
          const map = maps.at(-1);
          if (map === undefined) return 'entry without a map';
          const text = own ?? `${key} ${value}\n`;
          map.entries.push([position ?? key, { key, value, text, ...(owner === null ? {} : { owner }) }]);
          return undefined;
        }
        case 'crtlist':
          crtLists.push({ path: record[1], entries: [] });
          return undefined;
        case 'crtentry': {
          const [, position, certificate, options, sniFilters, owner] = record;
          const fields = { certificate, options, sniFilters };
          const list = crtLists.at(-1);
          if (list === undefined) return 'crt-list entry without a crt-list';
          list.entries.push([
            position,
            { ...fields, text: crtListLine(fields), ...(owner === null ? {} : { owner }) },
          ]);
          return undefined;
        }
        case 'file':
          files.push(record);
          return undefined;
      }
    },
    *finish() {
      const rope = yield* orderedMapInSlices(sections);
      const byPath: [string, PlanMap][] = [];
      for (const { path, ordered, entries } of maps)
        byPath.push([path, { path, ordered, entries: yield* orderedMapInSlices(entries) }]);
      const finishedMaps = yield* orderedMapInSlices(byPath);
      const lists: [string, PlanCrtList][] = [];
      for (const { path, entries } of crtLists)
        lists.push([path, { path, entries: yield* orderedMapInSlices(entries) }]);
      const finishedLists = yield* orderedMapInSlices(lists);
      const fileOf = ([, path, kind, reloadOnChange, digest, size]: FileRecord): [string, PlanFile] => [
        path,
        {
          path,
          kind,
          reloadOnChange,
          digest,
          size,
          content: contentOf(path, kind, rope, finishedMaps, finishedLists),
        },
      ];
      return yield* planInSlices({
        sections: rope,
        profiles: yield* orderedMapInSlices(profiles),
        backends: yield* orderedMapInSlices(backends),
        maps: finishedMaps,
        crtLists: finishedLists,
        files: yield* orderedMapInSlices(files.map(fileOf)),
      });
    },
  };
}

function contentOf(
  path: string,
  kind: PlanFile['kind'],
  sections: OrderedMap<Section>,
  maps: OrderedMap<PlanMap>,
  crtLists: OrderedMap<PlanCrtList>,
): PlanFile['content'] {
  const rope: OrderedMap<TextPiece> | undefined =
    kind === 'config' ? sections : (getEntry(maps, path) ?? getEntry(crtLists, path))?.entries;
  return () => {
    if (rope === undefined)
      throw new CodedError('HAPTIC_ERR_PLAN_CONTENT', `the content of ${path} is not part of a decoded plan`);
    return ropeBytes(rope);
  };
}

/** The id covers digests, not texts: those must have the digests. */
function* fileWithOtherBytes(plan: Plan): Slices<string | undefined> {
  for (const file of valuesOf(plan.files)) {
    const rope: OrderedMap<TextPiece> | undefined =
      file.kind === 'config'
        ? plan.sections
        : (getEntry(plan.maps, file.path) ?? getEntry(plan.crtLists, file.path))?.entries;
    if (rope !== undefined && (yield* ropeDigestInSlices(rope)) !== file.digest) return file.path;
  }
  return undefined;
}

function unusable(reason: string): PlanOfLines {
  return { decoded: { kind: 'unusable', reason: `plan blob: ${reason}` } };
}
