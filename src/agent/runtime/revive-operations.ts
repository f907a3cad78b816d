import type { ReadyOperation } from './command.ts';
import { deleteKey } from './pending-delete.ts';

/**
 * The same operations, but servers and backends that were taken out of the queue of deletions (by `backend/server` or `backend`) are
 * brought back instead of added: they are still there, stopped, and nothing on them was cut off.
 */
export function reviveOperations(
  operations: readonly ReadyOperation[],
  revived: ReadonlySet<string>,
): readonly ReadyOperation[] {
  if (revived.size === 0) return operations;
  return operations.map((operation) =>
    operation.creates !== undefined &&
    operation.revive !== undefined &&
    revived.has(deleteKey(operation.creates))
      ? { ...operation, commands: operation.revive }
      : operation,
  );
}
