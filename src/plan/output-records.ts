import { digest } from '../lib/digest.ts';
import { flat } from '../lib/flat.ts';
import { getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { Owner } from '../lib/owner.ts';
import { crtListLine } from '../protocol/crt-list-line.ts';
import type { KeptOutput } from '../protocol/kept-outputs.ts';
import type { Output, Part } from '../protocol/output.ts';
import type { Backend, FileKind, Plan, SectionKind } from '../protocol/plan.ts';
import { fieldsOf, type BackendFields } from './backend-fields.ts';

type Owned = { readonly owner?: Owner };

/** A part; its text as the index of the plan's section with the same one, its backend as `true` where it is the plan's. */
type PartRecord = readonly [
  SectionKind,
  name: string,
  text: number | string,
  template: string,
  claim: string | null,
  backend: BackendFields | true | null,
  hasRules: boolean | null,
];
type EntryRecord = readonly [path: string, key: string, value: string, text: string | null, place: string];
type ListedRecord = readonly [
  path: string,
  certificate: string,
  options: readonly string[],
  sniFilters: readonly string[],
];
type FileRecord = readonly [
  path: string,
  FileKind,
  reloadOnChange: boolean,
  digestOfText: string,
  place: string,
];

/** An output in a plan blob, after the plan's own records. What the plan has already is referred to. */
export type OutputRecord = readonly [
  'output',
  place: string,
  Owner | null,
  readonly PartRecord[],
  readonly EntryRecord[],
  readonly ListedRecord[] | null,
  readonly FileRecord[],
];

/** Encodes outputs against a plan that has mostly the same texts. */
export function outputRecorder(plan: Plan): (place: string, output: Output) => OutputRecord {
  const sections = new Map<string, number>();
  let index = 0;
  for (const { text } of valuesOf(plan.sections)) sections.set(text, index++);
  const partRecord = ({ section, name, backend, profile }: Part): PartRecord => [
    section.kind,
    section.name,
    sections.get(section.text) ?? section.text,
    section.template,
    name ?? null,
    backend === undefined ? null : isOfPlan(plan, backend) ? true : fieldsOf(backend),
    profile?.hasRules ?? null,
  ];
  return (place, { owner, parts, entries, listed, files }) => [
    'output',
    place,
    owner ?? null,
    parts.map(partRecord),
    entries.map(({ path, entry: { key, value, text }, place: at }) => [
      path,
      key,
      value,
      text === `${key} ${value}\n` ? null : text,
      at,
    ]),
    listed?.map(({ path, entry: { certificate, options, sniFilters } }) => [
      path,
      certificate,
      options,
      sniFilters,
    ]) ?? null,
    files.map(({ path, kind, reloadOnChange, text, place: at }) => [
      path,
      kind,
      reloadOnChange,
      digest(text),
      at,
    ]),
  ];
}

/** The way back, against the same plan. Undefined: the record refers to what the plan does not have. */
export function outputReader(plan: Plan): (record: OutputRecord) => KeptOutput | undefined {
  const texts = [...valuesOf(plan.sections)].map(({ text }) => text);
  const partOf = (record: PartRecord, owned: Owned): Part | undefined => {
    const [kind, name, printed, template, claim, fields, hasRules] = record;
    const text = typeof printed === 'string' ? printed : texts[printed];
    const backend = fields === true ? getEntry(plan.backends, name) : (fields ?? undefined);
    if (text === undefined || (fields !== null && backend === undefined)) return undefined;
    return {
      section: { kind, name, text, ...owned, template },
      ...(claim === null ? {} : { name: claim }),
      ...(backend === undefined ? {} : { backend: { ...fieldsOf({ ...backend, text }), text, ...owned } }),
      ...(hasRules === null ? {} : { profile: { name, text, hasRules } }),
    };
  };
  return ([, , owner, parts, entries, listed, files]) => {
    const owned: Owned = owner === null ? {} : { owner };
    const read = parts.flatMap((part) => partOf(part, owned) ?? []);
    if (read.length < parts.length) return undefined;
    return {
      ...owned,
      parts: read,
      entries: entries.map(([path, key, value, text, place]) => ({
        path,
        entry: { key, value, text: text ?? flat(`${key} ${value}\n`), ...owned },
        place,
      })),
      files: files.map(([path, kind, reloadOnChange, digestOfText, place]) => ({
        path,
        kind,
        reloadOnChange,
        digest: digestOfText,
        place,
      })),
      ...(listed === null
        ? {}
        : {
            listed: listed.map(([path, certificate, options, sniFilters]) => {
              const fields = { certificate, options, sniFilters };
              return { path, entry: { ...fields, text: crtListLine(fields), ...owned } };
            }),
          }),
    };
  };
}

function isOfPlan(plan: Plan, { name, text, bodyDigest, profile }: Backend): boolean {
  const held = getEntry(plan.backends, name);
  return held?.text === text && held.bodyDigest === bodyDigest && held.profile === profile;
}
