import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { HaproxyIdentity } from '../../protocol/wire.ts';
import { batchCommands, type CommandLine } from './batch-commands.ts';
import { cliRequest } from './cli-request.ts';
import type { CompiledOperation, RuntimeCommand } from './command.ts';
import { parseReplies, type Reply } from './parse-replies.ts';
import { prepareMap, replaceMapCommands } from './replace-map.ts';
import { parseWorkerIdentity, sameWorker } from './worker-identity.ts';

/** One operation ready to run: what it is called in results, and what it became. */
export interface ReadyOperation {
  readonly kind: string;
  readonly compiled: CompiledOperation;
  /** Payload lines of the map's file, for `map_replace`. */
  readonly entries?: readonly string[];
}

export interface OperationResult {
  readonly kind: string;
  readonly ok: boolean;
  readonly output: string;
}

export interface OperationRun {
  /** One per operation, up to the first that failed; that one and nothing after it is `ok: false`. */
  readonly results: readonly OperationResult[];
  /** `rejected`: HAProxy said no. `worker_changed`: another worker answered, or none did to the end. */
  readonly outcome: 'ok' | 'rejected' | 'worker_changed';
}

interface Stop {
  readonly reason: 'rejected' | 'worker_changed';
  /** The command that was not accepted; undefined when no answer can be attributed. */
  readonly command?: RuntimeCommand;
  readonly output: string;
}

/**
 * Runs operations in order on the worker's socket, in as few round trips as the line limit allows, and stops at the first
 * refusal. Every answer must come from `worker`. Never throws: a socket that breaks is `worker_changed`, since what it ran is unknown.
 */
export async function runOperations(
  socket: string,
  worker: HaproxyIdentity,
  operations: readonly ReadyOperation[],
): Promise<OperationRun> {
  try {
    for (const segment of segmentsOf(operations)) {
      const stop =
        segment.replace === undefined
          ? await runCommands(socket, worker, segment.commands)
          : await runReplace(socket, worker, segment.replace);
      if (stop !== undefined) return stopped(operations, segment, stop);
    }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { results: [], outcome: 'worker_changed' };
  }
  return { results: operations.map(({ kind }) => ({ kind, ok: true, output: '' })), outcome: 'ok' };
}

/** Either commands that may share lines, or one map replacement; `from` is the index of the first operation. */
interface Segment {
  readonly from: number;
  readonly commands: readonly RuntimeCommand[];
  readonly replace?: { readonly path: string; readonly entries: readonly string[] };
}

function segmentsOf(operations: readonly ReadyOperation[]): Segment[] {
  const segments: Segment[] = [];
  let commands: RuntimeCommand[] = [];
  let from = 0;
  operations.forEach(({ compiled, entries }, index) => {
    if (compiled.kind === 'commands') commands.push(...compiled.commands);
    if (compiled.kind !== 'map_replace') return;
    if (commands.length > 0) segments.push({ from, commands });
    segments.push({ from: index, commands: [], replace: { path: compiled.path, entries: entries ?? [] } });
    commands = [];
    from = index + 1;
  });
  if (commands.length > 0) segments.push({ from, commands });
  return segments;
}

function stopped(operations: readonly ReadyOperation[], segment: Segment, stop: Stop): OperationRun {
  const failed = operations.findIndex(
    ({ compiled }, index) =>
      index >= segment.from &&
      (segment.replace !== undefined ||
        (compiled.kind === 'commands' &&
          stop.command !== undefined &&
          compiled.commands.includes(stop.command))),
  );
  const upTo = failed < 0 ? segment.from : failed;
  const results: OperationResult[] = operations
    .slice(0, upTo)
    .map(({ kind }) => ({ kind, ok: true, output: '' }));
  const culprit = operations[upTo];
  if (culprit !== undefined) results.push({ kind: culprit.kind, ok: false, output: stop.output });
  return { results, outcome: stop.reason };
}

async function runCommands(
  socket: string,
  worker: HaproxyIdentity,
  commands: readonly RuntimeCommand[],
): Promise<Stop | undefined> {
  for (const line of batchCommands(commands)) {
    const answer = await cliRequest(socket, line.text, { timeoutMs: limits.cliRoundTripMs });
    const identity = parseWorkerIdentity(answer);
    const stop = await judge(socket, line, answer);
    if (stop !== undefined && identity !== undefined && sameWorker(identity, worker)) return stop;
    if (identity === undefined || !sameWorker(identity, worker))
      return { reason: 'worker_changed', output: stop?.output ?? '' };
  }
  return undefined;
}

async function runReplace(
  socket: string,
  worker: HaproxyIdentity,
  replace: { readonly path: string; readonly entries: readonly string[] },
): Promise<Stop | undefined> {
  const prepared = await prepareMap(socket, replace.path);
  if (!prepared.ok) return { reason: 'rejected', output: prepared.output };
  return runCommands(socket, worker, replaceMapCommands(replace.path, prepared.version, replace.entries));
}

/** Compares one line's answers with what its commands demand; the first that is not met. */
async function judge(socket: string, line: CommandLine, answer: string): Promise<Stop | undefined> {
  const replies = parseReplies(answer);
  let at = line.identity === 'first' ? 2 : 1;
  for (const command of line.commands) {
    const reply = replies[at++];
    if (reply === undefined) return { reason: 'rejected', command, output: 'HAProxy did not answer' };
    if (command.repeatUntil === undefined) {
      if (!accepted(command, reply)) return { reason: 'rejected', command, output: reply.text };
      continue;
    }
    const again = replies[at++];
    const stop = await judgeRepeated(socket, command, command.repeatUntil, [reply, again]);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

async function judgeRepeated(
  socket: string,
  command: RuntimeCommand,
  end: string,
  replies: readonly (Reply | undefined)[],
): Promise<Stop | undefined> {
  const ended = (reply: Reply | undefined) => reply?.text.includes(end) === true;
  for (const reply of replies) {
    if (ended(reply)) return undefined;
    if (reply === undefined || !accepted(command, reply))
      return { reason: 'rejected', command, output: reply?.text ?? 'HAProxy did not answer' };
  }
  for (let attempt = replies.length; attempt < limits.mapDeleteRepeats; attempt++) {
    const answer = await cliRequest(socket, `set severity-output number;${command.text}`, {
      timeoutMs: limits.cliRoundTripMs,
    });
    const reply = parseReplies(answer)[1];
    if (ended(reply)) return undefined;
    if (reply === undefined || !accepted(command, reply))
      return { reason: 'rejected', command, output: reply?.text ?? 'HAProxy did not answer' };
  }
  return {
    reason: 'rejected',
    command,
    output: `still there after ${String(limits.mapDeleteRepeats)} deletes`,
  };
}

function accepted(command: RuntimeCommand, reply: Reply): boolean {
  if (reply.severity !== undefined && reply.severity <= 3) return false;
  if (command.success === 'silent') return reply.text === '';
  return command.success.some((text) => reply.text.includes(text));
}
