import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ValidateFunction } from 'ajv';
import { CodedError } from '../lib/coded-error.ts';
import { getEntry, orderedMapFrom, valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import { ropeBytes, ropeDigest, type TextPiece } from '../lib/rope.ts';
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
import { createPlan } from './create-plan.ts';
import { planBlobLines } from './plan-blob-lines.ts';
import { outputsBegin, planRecordSchemas, type PlanHeader, type PlanRecord } from './plan-records.ts';
import { planValidators } from './plan-validators.ts';

/** `unusable` means: no baseline. */
export type DecodedPlan =
  { readonly kind: 'decoded'; readonly plan: Plan } | { readonly kind: 'unusable'; readonly reason: string };

const slice = 200;

/**
 * Reads a blob of `encodePlan`. Nothing of it is trusted: another schema version, a broken or cut blob, a record that is not
 * one, texts that do not have the digests they are said to have, or an id that is not that of the content make it unusable,
 * with the reason. Works in slices with turns of the event loop between them; rejects only when aborted.
 *
 * Outputs that follow the plan are left unread: see `decodeOutputs`.
 *
 * Content of files other than the configuration, maps and crt-lists with declared entries is not in a blob: asking for it throws.
 */
export async function decodePlan(blob: Uint8Array, signal?: AbortSignal): Promise<DecodedPlan> {
  const read = await planBlobLines(blob);
  if ('reason' in read) return unusable(read.reason);
  const { lines } = read;
  const header = parse(lines.next().value ?? '', isHeader);
  if (header === undefined) return unusable('it has no header');
  if (header.schemaVersion !== planSchemaVersion)
    return unusable(`it is of plan schema ${header.schemaVersion}, not ${planSchemaVersion}`);
  const turn = () => nextTurn(undefined, { ...(signal && { signal }) });
  const builder = planBuilder();
  let count = 0;
  for (const line of lines) {
    if (line === '') continue;
    if (line.startsWith(outputsBegin)) break;
    const record = parseRecord(line);
    if (record === undefined) return unusable(`record ${count + 1} is not one`);
    const problem = builder.add(record);
    if (problem !== undefined) return unusable(`record ${count + 1}: ${problem}`);
    if (++count % slice === 0) await turn();
  }
  if (count !== header.records) return unusable(`it has ${count} records instead of ${header.records}`);
  const plan = await builder.finish(turn);
  await turn();
  if (plan.id !== header.id) return unusable(`its content has id ${plan.id} instead of ${header.id}`);
  const stranger = fileWithOtherBytes(plan);
  return stranger === undefined
    ? { kind: 'decoded', plan }
    : unusable(`the texts of ${stranger} have another digest`);
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
  /** The plan; takes a turn of the event loop between its parts. */
  finish(turn: () => Promise<unknown>): Promise<Plan>;
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
    finish: async (turn) => {
      const rope = orderedMapFrom(sections);
      await turn();
      const byName = orderedMapFrom(backends);
      const finished: [string, PlanMap][] = [];
      for (const { path, ordered, entries } of maps) {
        await turn();
        finished.push([path, { path, ordered, entries: orderedMapFrom(entries) }]);
      }
      await turn();
      const byPath = orderedMapFrom(finished);
      const lists = orderedMapFrom(
        crtLists.map(({ path, entries }): [string, PlanCrtList] => [
          path,
          { path, entries: orderedMapFrom(entries) },
        ]),
      );
      const fileOf = ([, path, kind, reloadOnChange, digest, size]: FileRecord): [string, PlanFile] => [
        path,
        { path, kind, reloadOnChange, digest, size, content: contentOf(path, kind, rope, byPath, lists) },
      ];
      return createPlan({
        sections: rope,
        profiles: orderedMapFrom(profiles),
        backends: byName,
        maps: byPath,
        crtLists: lists,
        files: orderedMapFrom(files.map(fileOf)),
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
function fileWithOtherBytes(plan: Plan): string | undefined {
  for (const file of valuesOf(plan.files)) {
    const rope: OrderedMap<TextPiece> | undefined =
      file.kind === 'config'
        ? plan.sections
        : (getEntry(plan.maps, file.path) ?? getEntry(plan.crtLists, file.path))?.entries;
    if (rope !== undefined && ropeDigest(rope) !== file.digest) return file.path;
  }
  return undefined;
}

function unusable(reason: string): DecodedPlan {
  return { kind: 'unusable', reason: `plan blob: ${reason}` };
}
