import { getEntry } from '../lib/ordered-map.ts';
import { isVersionAtLeast } from '../lib/is-version-at-least.ts';
import { limits } from '../protocol/limits.ts';
import type { Plan } from '../protocol/plan.ts';
import { isSafeToken } from '../protocol/safe-token.ts';
import type { LoadedFiles } from './loaded-files.ts';

/** Kinds of files that can be loaded at runtime, each into a store of its own. */
export type StoreKind = 'cert' | 'ca' | 'crl';

/** The files that something added at runtime names: those that the worker has not loaded come with it. */
export interface FileNeeds {
  /** Why what names this file cannot be added at runtime, as the end of a sentence; undefined when it can. */
  need(kind: StoreKind, path: string): string | undefined;
  /** What was needed and is not loaded yet, in the order of the first need. */
  missing(): readonly { readonly kind: StoreKind; readonly path: string }[];
}

/**
 * With `mayLoad` false, only what is loaded already will do.
 *
 * @param version of HAProxy, `3.4`; absent when unknown
 */
export function createFileNeeds(
  next: Plan,
  loaded: LoadedFiles,
  mayLoad: boolean,
  version: string | undefined,
): FileNeeds {
  const missing = new Map<string, { readonly kind: StoreKind; readonly path: string }>();
  return {
    need: (kind, path) => {
      if (loaded.has(kind, path)) return undefined;
      const obstacle = mayLoad ? newFileObstacle(next, kind, path, version) : notLoaded(path);
      if (obstacle === undefined) missing.set(`${kind} ${path}`, { kind, path });
      return obstacle;
    },
    missing: () => [...missing.values()],
  };
}

/** First HAProxy line that takes a CA file in pieces (`add ssl ca-file`). */
const piecesSince = '3.0';

/**
 * Why the bytes of a file cannot be sent to the worker; undefined when they can. One command must hold them, but for a CA file, which the agent
 * sends in pieces where HAProxy takes them.
 */
export function contentObstacle(
  path: string,
  size: number,
  stores: readonly StoreKind[],
  version: string | undefined,
): string | undefined {
  if (!isSafeToken(path)) return `the path ${path} cannot stand in a runtime command`;
  const inPieces = version !== undefined && isVersionAtLeast(version, piecesSince);
  return size > limits.payloadContentBytes && stores.some((store) => store !== 'ca' || !inPieces)
    ? `${path} has ${size} bytes, more than the ${limits.payloadContentBytes} that a runtime command holds`
    : undefined;
}

function newFileObstacle(
  next: Plan,
  kind: StoreKind,
  path: string,
  version: string | undefined,
): string | undefined {
  const file = getEntry(next.files, path);
  if (file?.kind !== kind) return notLoaded(path);
  return contentObstacle(path, file.size, [kind], version);
}

function notLoaded(path: string): string {
  return `${path} is a file that the worker has not loaded`;
}
