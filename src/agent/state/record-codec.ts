import type { ApplyResult, ApplyToken, HaproxyIdentity } from '../../protocol/wire.ts';
import type { JournalEntry } from '../files/journal.ts';
import { pathProblem } from '../files/path-rules.ts';
import type { HeldFile } from '../files/held-files.ts';
import { withFileChanges } from '../files/with-file-changes.ts';
import type { DeleteTarget } from '../runtime/pending-delete.ts';
import type { AgentRecord, ApplyPhase, PendingReload, PlanRef, Wanted } from './agent-record.ts';
import { recordFormat, recordVersion } from './record-schema.ts';
import { recordValidators } from './record-validators.ts';

interface RecordFile {
  readonly format: typeof recordFormat;
  readonly version: typeof recordVersion;
  readonly phase: ApplyPhase;
  readonly generation: number;
  readonly proof_counter: number;
  readonly applied_token: ApplyToken;
  readonly applied: PlanRef;
  readonly running: PlanRef;
  readonly worker_ops: PlanRef;
  readonly lkg: PlanRef;
  readonly wanted: {
    readonly plan: PlanRef;
    readonly token: ApplyToken;
    readonly changes: Readonly<Record<string, HeldFile | null>>;
    readonly patches?: Readonly<Record<string, PatchRecord>>;
    readonly worker: boolean;
  } | null;
  readonly reload_pending: PendingReload | null;
  readonly last_reload_at_unix_ms: number;
  readonly worker: HaproxyIdentity | null;
  readonly files_committed_at_unix_micros: number;
  readonly blob: (PlanRef & { readonly digest: string }) | null;
  readonly pending_deletes: readonly {
    readonly target: DeleteTarget;
    readonly cut_off_at_unix_ms: number;
  }[];
  readonly last_apply: ApplyResult | null;
  readonly journal: Readonly<Record<string, JournalEntry>>;
  readonly files: Readonly<Record<string, HeldFile>>;
  readonly removed_files?: readonly string[];
}

type FileSet = AgentRecord['files'];

/** JSON of a set of files or of a journal, kept per set: they are large, and most states share them. */
const setTexts = new WeakMap<ReadonlyMap<string, unknown>, string>();
/** What a set differs from another in, kept for the last other: most records of an apply have the same files. */
const differences = new WeakMap<FileSet, { readonly base: FileSet; readonly text: string }>();

/**
 * A record as one line of the state file.
 *
 * @param base files of the first line of the file that this one is added to: then it says what differs from them, if that is less than all
 */
export function encodeRecord(record: AgentRecord, base?: FileSet): string {
  const head: Omit<RecordFile, 'files' | 'removed_files' | 'journal'> = {
    format: recordFormat,
    version: recordVersion,
    phase: record.phase,
    generation: record.generation,
    proof_counter: record.proofCounter,
    applied_token: record.appliedToken,
    applied: record.applied,
    running: record.running,
    worker_ops: record.workerOps,
    lkg: record.lkg,
    wanted: record.wanted === undefined ? null : encodeWanted(record.wanted),
    reload_pending: record.reloadPending ?? null,
    last_reload_at_unix_ms: record.lastReloadAt,
    worker: record.worker ?? null,
    files_committed_at_unix_micros: record.filesCommittedAt,
    blob: record.blob ?? null,
    pending_deletes: record.pendingDeletes.map(({ target, cutOffAt }) => ({
      target,
      cut_off_at_unix_ms: cutOffAt,
    })),
    last_apply: record.lastApply ?? null,
  };
  const journal = `"journal":${setText(record.journal)}`;
  return `${JSON.stringify(head).slice(0, -1)},${journal},${filesText(record.files, base)}}\n`;
}

function filesText(files: FileSet, base: FileSet | undefined): string {
  if (base === undefined) return wholeText(files);
  const known = differences.get(files);
  if (known?.base === base) return known.text;
  const text = differenceText(files, base) ?? wholeText(files);
  differences.set(files, { base, text });
  return text;
}

function wholeText(files: FileSet): string {
  return `"files":${setText(files)}`;
}

/** Undefined: all is no more to say. */
function differenceText(files: FileSet, base: FileSet): string | undefined {
  const changed: [string, HeldFile][] = [];
  let kept = 0;
  for (const [name, held] of files) {
    const before = base.get(name);
    if (before !== undefined) kept++;
    if (!isSame(held, before)) changed.push([name, held]);
  }
  const removed = kept === base.size ? [] : [...base.keys()].filter((name) => !files.has(name));
  if (changed.length + removed.length >= files.size) return undefined;
  return `"files":${JSON.stringify(Object.fromEntries(changed))},"removed_files":${JSON.stringify(removed)}`;
}

function isSame(a: HeldFile, b: HeldFile | undefined): boolean {
  if (a === b) return true;
  return a.digest === b?.digest && a.proof === b.proof && a.size === b.size && a.kind === b.kind;
}

export type DecodedRecord =
  | {
      readonly ok: true;
      readonly record: AgentRecord;
      /** Files of the first line: what lines are added to. */
      readonly base: FileSet;
    }
  | { readonly ok: false; readonly reason: string };

/**
 * The last record of a state file's text, or why there is none of ours. Of the files it may say what differs from the first line. A last line without its end is one that an agent was killed
 * over: the one before it counts. Whole lines are all ours, or the file is not: nothing older is fallen back on.
 */
export function decodeRecord(text: string): DecodedRecord {
  const end = text.lastIndexOf('\n');
  const start = end === -1 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
  const last = parseLine(end === -1 ? text : text.slice(start, end));
  if ('reason' in last) return last;
  const first = start === 0 ? last : parseLine(text.slice(0, text.indexOf('\n')));
  if ('reason' in first) return first;
  if (first.file.removed_files !== undefined)
    return { ok: false, reason: 'its first line says changes of files, and not to which' };
  const { file } = last;
  const base: FileSet = new Map(Object.entries(first.file.files));
  const files = start === 0 ? base : filesAfter(base, file);
  const journal = new Map(Object.entries(file.journal));
  for (const name of [
    ...[...files.keys(), ...journal.keys()],
    ...[...Object.keys(file.wanted?.changes ?? {}), ...Object.keys(file.wanted?.patches ?? {})],
  ]) {
    const problem = pathProblem(name);
    if (problem !== undefined) return { ok: false, reason: `the path of an owned file ${problem}` };
  }
  return {
    ok: true,
    record: {
      phase: file.phase,
      generation: file.generation,
      proofCounter: file.proof_counter,
      appliedToken: file.applied_token,
      applied: file.applied,
      running: file.running,
      workerOps: file.worker_ops,
      lkg: file.lkg,
      journal,
      wanted: file.wanted === null ? undefined : decodeWanted(file.wanted),
      reloadPending: file.reload_pending ?? undefined,
      lastReloadAt: file.last_reload_at_unix_ms,
      worker: file.worker ?? undefined,
      filesCommittedAt: file.files_committed_at_unix_micros,
      blob: file.blob ?? undefined,
      pendingDeletes: file.pending_deletes.map(({ target, cut_off_at_unix_ms }) => ({
        target,
        cutOffAt: cut_off_at_unix_ms,
      })),
      lastApply: file.last_apply ?? undefined,
      files,
    },
    base,
  };
}

function parseLine(
  line: string,
): { readonly file: RecordFile } | { readonly ok: false; readonly reason: string } {
  let file: unknown;
  try {
    file = JSON.parse(line);
  } catch {
    return { ok: false, reason: 'it is not JSON' };
  }
  if (isRecordFile(file)) return { file };
  const error = recordValidators.record.errors?.[0];
  return { ok: false, reason: `${error?.instancePath ?? ''} ${error?.message ?? 'is not valid'}`.trim() };
}

function filesAfter(base: FileSet, { files, removed_files: removed }: RecordFile): FileSet {
  if (removed === undefined) return new Map(Object.entries(files));
  return withFileChanges(base, removed, Object.entries(files));
}

function isRecordFile(value: unknown): value is RecordFile {
  return recordValidators.record(value);
}

interface PatchRecord {
  readonly base_digest: string;
  readonly base_size: number;
  readonly offset: number;
  readonly length: number;
  readonly bytes: string;
}

function encodeWanted({ changes, patches, ...rest }: Wanted): RecordFile['wanted'] {
  const entries = [...changes].map(([name, held]) => [name, held ?? null] as const);
  const encoded = [...patches].map(
    ([name, { base, offset, length, bytes }]) =>
      [
        name,
        { base_digest: base.digest, base_size: base.size, offset, length, bytes: bytes.toString('base64') },
      ] as const,
  );
  return {
    ...rest,
    changes: Object.fromEntries(entries),
    ...(encoded.length > 0 && { patches: Object.fromEntries(encoded) }),
  };
}

function decodeWanted({ changes, patches = {}, ...rest }: NonNullable<RecordFile['wanted']>): Wanted {
  const entries = Object.entries(changes).map(([name, held]) => [name, held ?? undefined] as const);
  const decoded = Object.entries(patches).map(
    ([name, { base_digest, base_size: size, bytes, ...place }]) =>
      [name, { base: { digest: base_digest, size }, ...place, bytes: Buffer.from(bytes, 'base64') }] as const,
  );
  return { ...rest, changes: new Map(entries), patches: new Map(decoded) };
}

function setText(set: ReadonlyMap<string, unknown>): string {
  let text = setTexts.get(set);
  if (text === undefined) {
    text = JSON.stringify(Object.fromEntries(set));
    setTexts.set(set, text);
  }
  return text;
}
