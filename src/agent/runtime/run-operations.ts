import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { OperationKind } from '../../protocol/operation.ts';
import type { HaproxyIdentity } from '../../protocol/wire.ts';
import { batchCommands } from './batch-commands.ts';
import { cliRequest } from './cli-request.ts';
import type { ReadyOperation, RuntimeCommand } from './command.ts';
import { judgeLine } from './judge-line.ts';
import { prepareMap, replaceMapCommands } from './replace-map.ts';
import { parseWorkerIdentity, sameWorker } from './worker-identity.ts';

export interface OperationResult {
  readonly kind: string;
  readonly ok: boolean;
  readonly output: string;
}

/**
 * Why operations stopped. `name_collision`: HAProxy has a server or backend of the name already. `op_rejected`: any other
 * refusal. `worker_changed`: another worker answered, or none did to the end.
 */
export type OperationStop = 'name_collision' | 'op_rejected' | 'worker_changed';

export interface OperationRun {
  /** One per operation. What comes after the first that failed is `ok: false`: whether HAProxy did it cannot be told. */
  readonly results: readonly OperationResult[];
  readonly outcome: 'ok' | 'rejected' | 'worker_changed';
  /** Absent when all is well. */
  readonly reason?: OperationStop;
}

interface Stop {
  readonly reason: OperationStop;
  /** Index of the operation; undefined when no answer can be attributed. */
  readonly at?: number;
  readonly output: string;
  /** Operations that had commands under way. */
  readonly touched: readonly number[];
}

/**
 * Runs operations in order on the worker's socket, in as few round trips as the line limit allows, and stops at the first
 * refusal; that operation cleans up after itself. What counts must come from `worker`. Never throws: a socket that breaks,
 * or an answer that does not end within the wait budget, is `worker_changed`, since what ran is unknown.
 *
 * @param attempts commands that follow all operations; nothing depends on what HAProxy says to them
 */
export async function runOperations(
  socket: string,
  worker: HaproxyIdentity,
  operations: readonly ReadyOperation[],
  attempts: readonly RuntimeCommand[] = [],
): Promise<OperationRun> {
  for (const segment of segmentsOf(operations, attempts)) {
    const stop = await runSegment(socket, worker, segment);
    if (stop === undefined) continue;
    await cleanUp(
      socket,
      stop.touched.flatMap((index) => operations[index]?.undo ?? []),
    );
    return stopped(operations, segment, stop);
  }
  return { results: operations.map(({ kind }) => ({ kind, ok: true, output: '' })), outcome: 'ok' };
}

/** Either commands that may share lines, or one map replacement; `from` is the index of the first operation. */
interface Segment {
  readonly from: number;
  readonly commands: readonly RuntimeCommand[];
  /** Which operation each command belongs to. */
  readonly owners: ReadonlyMap<RuntimeCommand, number>;
  readonly replace?: { readonly path: string; readonly entries: readonly string[] };
}

function segmentsOf(operations: readonly ReadyOperation[], attempts: readonly RuntimeCommand[]): Segment[] {
  const segments: Segment[] = [];
  let commands: RuntimeCommand[] = [];
  let owners = new Map<RuntimeCommand, number>();
  let from = 0;
  const close = () => {
    if (commands.length > 0) segments.push({ from, commands, owners });
    commands = [];
    owners = new Map();
  };
  operations.forEach((operation, index) => {
    for (const command of operation.commands) {
      // A copy: one and the same command object may stand in several operations.
      const own = { ...command };
      commands.push(own);
      owners.set(own, index);
    }
    if (operation.replace === undefined) return;
    close();
    segments.push({ from: index, commands: [], owners, replace: operation.replace });
    from = index + 1;
  });
  commands.push(...attempts);
  close();
  return segments;
}

async function runSegment(
  socket: string,
  worker: HaproxyIdentity,
  segment: Segment,
): Promise<Stop | undefined> {
  const { from, replace } = segment;
  if (replace === undefined) return runCommands(socket, worker, segment.commands, segment.owners);
  try {
    const prepared = await prepareMap(socket, replace.path);
    if (!prepared.ok) return { ...refused(prepared.output), at: from, touched: [from] };
    const commands = replaceMapCommands(replace.path, prepared.version, replace.entries);
    return await runCommands(socket, worker, commands, new Map(commands.map((command) => [command, from])));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { reason: 'worker_changed', at: from, output: error.message, touched: [from] };
  }
}

async function runCommands(
  socket: string,
  worker: HaproxyIdentity,
  commands: readonly RuntimeCommand[],
  owners: ReadonlyMap<RuntimeCommand, number>,
): Promise<Stop | undefined> {
  for (const line of batchCommands(commands)) {
    const touched = [...new Set(line.commands.flatMap((command) => owners.get(command) ?? []))];
    try {
      const answer = await cliRequest(socket, line.text, {
        timeoutMs: limits.cliRoundTripMs,
        deadlineMs: limits.waitBudgetMs,
      });
      const identity = line.identity === 'none' ? worker : parseWorkerIdentity(answer);
      if (identity === undefined || !sameWorker(identity, worker))
        return { reason: 'worker_changed', output: 'the worker is another one', touched };
      const refusal = await judgeLine(socket, line, answer);
      if (refusal === undefined) continue;
      const at = owners.get(refusal.command);
      return { ...refused(refusal.output), touched, ...(at !== undefined && { at }) };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return { reason: 'worker_changed', output: error.message, touched };
    }
  }
  return undefined;
}

function refused(output: string | undefined): Pick<Stop, 'reason' | 'output'> {
  return output === undefined
    ? { reason: 'worker_changed', output: 'HAProxy did not answer' }
    : { reason: 'op_rejected', output };
}

/** Best effort: a reload follows in any case, but it may be put off, and an open transaction would block its store until then. */
async function cleanUp(socket: string, commands: readonly RuntimeCommand[]): Promise<void> {
  for (const { text } of commands) {
    try {
      await cliRequest(socket, text, { timeoutMs: limits.cliRoundTripMs, deadlineMs: limits.cliRoundTripMs });
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
    }
  }
}

function stopped(operations: readonly ReadyOperation[], segment: Segment, stop: Stop): OperationRun {
  const at = stop.at ?? stop.touched[0] ?? segment.from;
  const results = operations.map(({ kind }, index): OperationResult => {
    if (index < at) return { kind, ok: true, output: '' };
    return { kind, ok: false, output: index === at ? shortened(stop.output) : afterRefusal };
  });
  const culprit = operations[at]?.kind;
  const reason = stop.reason === 'op_rejected' ? refusalOf(culprit, stop.output) : stop.reason;
  return { results, outcome: stop.reason === 'worker_changed' ? 'worker_changed' : 'rejected', reason };
}

/** A commit tells its progress in dots, and an unknown command is answered by all known ones. */
function shortened(output: string): string {
  const text = output.replace(/\.{4,}/g, '…');
  return text.length > maxOutput ? `${text.slice(0, maxOutput)} …` : text;
}

const maxOutput = 2_000;
const afterRefusal = 'not known: an operation before it failed';

function refusalOf(kind: OperationKind | undefined, output: string): OperationStop {
  const creates = kind === 'server_add' || kind === 'backend_add';
  return creates && collision.test(output) ? 'name_collision' : 'op_rejected';
}

const collision = /already (used by|exists)|exists a server with the same name|duplicate entry/i;
