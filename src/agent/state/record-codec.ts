import { Ajv } from 'ajv';
import type { ApplyToken, AgentState, HaproxyIdentity } from '../../protocol/wire.ts';
import { pathProblem } from '../files/path-rules.ts';
import type { HeldFile } from '../files/held-files.ts';
import type { AgentRecord, ApplyPhase, PlanRef } from './agent-record.ts';
import { recordFormat, recordSchema, recordVersion } from './record-schema.ts';

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
  readonly worker: HaproxyIdentity | null;
  readonly files_committed_at_unix_micros: number;
  readonly blob: (PlanRef & { readonly digest: string }) | null;
  readonly pending_deletes: AgentState['pending_deletes'];
  readonly files: Readonly<Record<string, HeldFile>>;
}

const validate = new Ajv({ strict: true }).compile<RecordFile>(recordSchema);

/** JSON of the files, kept per set: the set is large and most states share it. */
const fileTexts = new WeakMap<ReadonlyMap<string, HeldFile>, string>();

/** The state file's text. Cost follows the number of files only when the set of files is a new one. */
export function encodeRecord(record: AgentRecord): string {
  const head: Omit<RecordFile, 'files'> = {
    format: recordFormat,
    version: recordVersion,
    phase: record.phase,
    generation: record.generation,
    proof_counter: record.proofCounter,
    applied_token: record.appliedToken,
    applied: record.applied,
    running: record.running,
    worker_ops: record.workerOps,
    worker: record.worker ?? null,
    files_committed_at_unix_micros: record.filesCommittedAt,
    blob: record.blob ?? null,
    pending_deletes: record.pendingDeletes,
  };
  return `${JSON.stringify(head).slice(0, -1)},"files":${filesText(record.files)}}\n`;
}

/** A state file's text as a record, or why it is none of ours. */
export function decodeRecord(
  text: string,
): { readonly ok: true; readonly record: AgentRecord } | { readonly ok: false; readonly reason: string } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'it is not JSON' };
  }
  if (!validate(file)) {
    const error = validate.errors?.[0];
    return { ok: false, reason: `${error?.instancePath ?? ''} ${error?.message ?? 'is not valid'}`.trim() };
  }
  const files = new Map(Object.entries(file.files));
  for (const name of files.keys()) {
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
      worker: file.worker ?? undefined,
      filesCommittedAt: file.files_committed_at_unix_micros,
      blob: file.blob ?? undefined,
      pendingDeletes: file.pending_deletes,
      files,
    },
  };
}

function filesText(files: ReadonlyMap<string, HeldFile>): string {
  let text = fileTexts.get(files);
  if (text === undefined) {
    text = JSON.stringify(Object.fromEntries(files));
    fileTexts.set(files, text);
  }
  return text;
}
