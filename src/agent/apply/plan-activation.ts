import type { ApplyManifest } from '../../protocol/wire.ts';
import type { ReadyOperation } from '../runtime/command.ts';
import type { DeleteTarget } from '../runtime/pending-delete.ts';
import { prepareOperations } from '../runtime/prepare-operations.ts';

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
  contentOf: (path: string) => Promise<Buffer | undefined>,
): Promise<Activation> {
  if (manifest.mode === 'reload') return { kind: 'reload' };
  const operations = [...manifest.ops, ...(manifest.op_batches ?? []).flat()];
  if (operations.length === 0) return { kind: 'nothing' };
  const preparation = await prepareOperations(operations, haproxyVersion, contentOf);
  if (!preparation.ok) return { kind: 'reload', reason: preparation.reason };
  const { ready, created, deferred } = preparation;
  return { kind: 'operations', ready, created, deferred };
}
