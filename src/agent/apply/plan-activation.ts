import type { Operation } from '../../protocol/operation.ts';
import type { ApplyManifest } from '../../protocol/wire.ts';
import { batchCommands } from '../runtime/batch-commands.ts';
import type { DeleteTarget } from '../runtime/command.ts';
import { compileOperation } from '../runtime/compile-operation.ts';
import { parseMapFile } from '../runtime/parse-map-file.ts';
import { mapEntryBytes } from '../runtime/replace-map.ts';
import type { ReadyOperation } from '../runtime/run-operations.ts';

/** How an apply reaches the worker. */
export type Activation =
  | { readonly kind: 'reload'; readonly reason?: string }
  | {
      readonly kind: 'operations';
      readonly ready: readonly ReadyOperation[];
      /** Names that the operations create: none of them may still be waiting for its deletion. */
      readonly created: readonly DeleteTarget[];
      /** What the operations stopped and the agent deletes afterwards. */
      readonly deferred: readonly DeleteTarget[];
    }
  | { readonly kind: 'nothing' };

/**
 * Compiles all batches before the first command is sent: an operation that cannot be run anywhere in them makes it a reload,
 * with nothing run.
 */
export async function planActivation(
  manifest: ApplyManifest,
  haproxyVersion: string,
  mapContent: (path: string) => Promise<Buffer | undefined>,
): Promise<Activation> {
  if (manifest.mode === 'reload') return { kind: 'reload' };
  const operations = [...manifest.ops, ...(manifest.op_batches ?? []).flat()];
  if (operations.length === 0) return { kind: 'nothing' };
  const ready: ReadyOperation[] = [];
  for (const operation of operations) {
    const compilation = compileOperation(operation, haproxyVersion);
    if (!compilation.ok) return { kind: 'reload', reason: `unknown_op: ${compilation.reason}` };
    const { compiled } = compilation;
    const entries = compiled.kind === 'map_replace' ? await entriesOf(compiled.path, mapContent) : [];
    if (entries === undefined)
      return { kind: 'reload', reason: 'unknown_op: map_replace (map): the file cannot be said at runtime' };
    ready.push({ kind: operation.kind, compiled, entries });
  }
  if (!fitsLines(ready)) return { kind: 'reload', reason: 'unknown_op: a command is too long' };
  return {
    kind: 'operations',
    ready,
    created: operations.flatMap(createdBy),
    deferred: ready.flatMap(({ compiled }) => (compiled.kind === 'deferred' ? [compiled.target] : [])),
  };
}

async function entriesOf(
  path: string,
  mapContent: (path: string) => Promise<Buffer | undefined>,
): Promise<string[] | undefined> {
  const content = await mapContent(path);
  const entries = content === undefined ? undefined : parseMapFile(content);
  return entries?.every((entry) => Buffer.byteLength(entry) < mapEntryBytes) === true ? entries : undefined;
}

function createdBy(operation: Operation): DeleteTarget[] {
  if (operation.kind === 'server_add')
    return [{ kind: 'server', backend: operation.backend, server: operation.server }];
  if (operation.kind === 'backend_add') return [{ kind: 'backend', backend: operation.backend }];
  return [];
}

function fitsLines(ready: readonly ReadyOperation[]): boolean {
  try {
    batchCommands(ready.flatMap(({ compiled }) => (compiled.kind === 'commands' ? compiled.commands : [])));
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
