import { limits } from '../../protocol/limits.ts';
import type { Operation } from '../../protocol/operation.ts';
import { batchCommands } from './batch-commands.ts';
import type { ReadyOperation } from './command.ts';
import { compileOperation } from './compile-operation.ts';
import { parseMapFile } from './parse-map-file.ts';
import type { DeleteTarget } from './pending-delete.ts';
import { tlsTransaction } from './tls-transaction.ts';

export type Preparation =
  | {
      readonly ok: true;
      readonly ready: readonly ReadyOperation[];
      /** Names that the operations take: none of them may still be waiting for its deletion. */
      readonly created: readonly DeleteTarget[];
      /** What the operations stop and the agent deletes afterwards. */
      readonly deferred: readonly DeleteTarget[];
    }
  /** `unknown_op: …`: cannot be run on this HAProxy. `payload_too_large: …`: more than its socket takes. Nothing ran. */
  | { readonly ok: false; readonly reason: string };

/**
 * Compiles operations and reads the files they speak of, all of them before the first command is sent, so that one that cannot be
 * run keeps all from running.
 *
 * @param line of HAProxy: `3.4`
 * @param contentOf bytes of a file as the apply leaves it; undefined: there is no such file
 */
export async function prepareOperations(
  operations: readonly Operation[],
  line: string,
  contentOf: (path: string) => Promise<Buffer | undefined>,
): Promise<Preparation> {
  const ready: ReadyOperation[] = [];
  const deferred: DeleteTarget[] = [];
  const leaving = new Set(operations.flatMap((one) => (one.kind === 'backend_del' ? [one.backend] : [])));
  for (const operation of operations) {
    const compilation = compileOperation(operation, line);
    if (!compilation.ok) return { ok: false, reason: `unknown_op: ${compilation.reason}` };
    const { compiled } = compilation;
    const { kind } = operation;
    // Its servers are stopped when nothing waits in the backend any more, see attemptDeletes.
    if (operation.kind === 'server_disable' && leaving.has(operation.backend)) {
      ready.push({ kind, commands: [] });
    } else if (compiled.kind === 'commands') {
      const { commands, creates, revive } = compiled;
      ready.push({
        kind,
        commands,
        ...(creates !== undefined && { creates }),
        ...(revive !== undefined && { revive }),
      });
    } else if (compiled.kind === 'map_replace') {
      const entries = mapEntries(await contentOf(compiled.path));
      if (typeof entries === 'string') return refusal(kind, compiled.path, entries);
      ready.push({ kind, commands: [], replace: { path: compiled.path, entries } });
    } else if (compiled.kind === 'tls_file') {
      const content = await contentOf(compiled.path);
      if (content === undefined) return refusal(kind, compiled.path, noFile);
      const { store, path, create } = compiled;
      const transaction = tlsTransaction(store, path, content, { create, line });
      if (!transaction.ok)
        return refusal(
          kind,
          path,
          transaction.reason,
          transaction.problem === 'too_large' ? tooLarge : undefined,
        );
      const { commands, undo } = transaction;
      ready.push({ kind, commands, undo, ...(create && { loads: { store, path } }) });
    } else {
      if (compiled.kind === 'deferred') deferred.push(compiled.target);
      ready.push({ kind, commands: [] });
    }
  }
  const oversized = ready.find((operation) => !fitsLines(operation));
  if (oversized !== undefined)
    return { ok: false, reason: `${tooLarge}: ${oversized.kind}: a command is too long` };
  const created = ready.flatMap(({ creates }) => (creates === undefined ? [] : [creates]));
  return { ok: true, ready, created, deferred };
}

const tooLarge = 'payload_too_large';
const noFile = 'there is no such file';

function refusal(kind: string, path: string, why: string, code = 'unknown_op'): Preparation {
  return { ok: false, reason: `${code}: ${kind} (${path}): ${why}` };
}

function mapEntries(content: Buffer | undefined): readonly string[] | string {
  if (content === undefined) return noFile;
  const entries = parseMapFile(content);
  if (entries === undefined) return 'a line of the file cannot be said at runtime';
  return entries.every((entry) => Buffer.byteLength(entry) < limits.payloadContentBytes)
    ? entries
    : 'a line of the file is too long to be said at runtime';
}

function fitsLines({ commands, revive }: ReadyOperation): boolean {
  try {
    batchCommands([...commands, ...(revive ?? [])]);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
