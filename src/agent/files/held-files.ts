import { digest } from '../../lib/digest.ts';
import type { FileKind } from '../../protocol/plan.ts';
import { readOwned } from './read-owned.ts';
import { createTurningBuffers } from './turning-buffers.ts';

/** What the agent knows about one file it owns. */
export interface HeldFile {
  readonly digest: string;
  /** The controller's equality witness; empty: the bytes must be sent again. */
  readonly proof: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: FileKind;
}

/**
 * The files that the agent owns: what the last apply put under the base dir. Contents of the configuration and of maps, which change
 * by patches, stay in memory up to a bound, so that a patch of a large file costs one copy and one hash and no read.
 */
export interface HeldFiles {
  all(): ReadonlyMap<string, HeldFile>;
  /** The content, from memory or disk; undefined when what is on disk is not what the record says. */
  content(file: string): Promise<Buffer | undefined>;
  /** Room for content of a file that is about to change, to be filled and handed to `replace`. */
  blank(file: string, size: number): Buffer;
  /** Replaces the set; `contents` are the bytes at hand. Nobody reads a former content of the configuration afterwards. */
  replace(files: ReadonlyMap<string, HeldFile>, contents: ReadonlyMap<string, Buffer>): void;
  /** The content, if it is in memory and is this one. */
  inMemory(file: string, held: HeldFile): Buffer | undefined;
  /** Hashes what is on disk; the paths whose file is missing or different, sorted. */
  check(): Promise<string[]>;
  /** These paths stay owned, but nothing is held of them any more: their bytes must be sent again. */
  distrust(paths: readonly string[]): void;
  /** Checks, and distrusts what is wrong. */
  verify(): Promise<string[]>;
}

/** Of a file whose content is not known. */
const noDigest = '0'.repeat(16);
const keptBytes = 16 * 1024 * 1024;

export function createHeldFiles(baseDir: string, initial: ReadonlyMap<string, HeldFile>): HeldFiles {
  let files = initial;
  const kept = new Map<string, Buffer>();
  const buffers = createTurningBuffers();

  const keep = (file: string, content: Buffer) => {
    kept.delete(file);
    kept.set(file, content);
  };
  const shrink = () => {
    let total = 0;
    for (const [file, content] of [...kept].reverse()) {
      total += content.length;
      if (total > keptBytes || !files.has(file)) kept.delete(file);
    }
  };
  const readIntact = async (file: string, held: HeldFile): Promise<Buffer | undefined> => {
    const bytes = await readOwned(baseDir, file);
    return bytes?.length === held.size && digest(bytes) === held.digest ? bytes : undefined;
  };

  const check = async (): Promise<string[]> => {
    const wrong: string[] = [];
    for (const [file, held] of files) {
      const bytes = await readIntact(file, held);
      if (bytes === undefined) wrong.push(file);
      else if (held.kind === 'config' || held.kind === 'map') keep(file, bytes);
    }
    shrink();
    return wrong.sort();
  };
  const distrusted = (file: string): [string, HeldFile][] => {
    const held = files.get(file);
    return held === undefined ? [] : [[file, { ...held, proof: '', digest: noDigest }]];
  };
  const distrust = (paths: readonly string[]) => {
    if (paths.length > 0) files = new Map([...files, ...paths.flatMap(distrusted)]);
    for (const file of paths) kept.delete(file);
  };

  return {
    all: () => files,
    content: async (file) => {
      const held = files.get(file);
      if (held === undefined) return undefined;
      const known = kept.get(file);
      if (known !== undefined) return known;
      const bytes = await readIntact(file, held);
      if (bytes !== undefined) {
        keep(file, bytes);
        shrink();
      }
      return bytes;
    },
    // Maps are read by others than the apply under way, so that their former contents must stay what they are.
    blank: (file, size) =>
      files.get(file)?.kind === 'config' ? buffers.take(size) : Buffer.allocUnsafeSlow(size),
    replace: (next, contents) => {
      for (const [file, held] of files) {
        if (next.get(file)?.digest === held.digest) continue;
        const former = kept.get(file);
        if (former !== undefined && held.kind === 'config' && contents.get(file) !== former)
          buffers.give(former);
        kept.delete(file);
      }
      files = next;
      for (const [file, content] of contents) {
        const kind = next.get(file)?.kind;
        if (kind === 'config' || kind === 'map') keep(file, ownBytes(content));
      }
      shrink();
    },
    inMemory: (file, held) => {
      const known = kept.get(file);
      return known !== undefined && files.get(file)?.digest === held.digest ? known : undefined;
    },
    check,
    distrust,
    verify: async () => {
      const wrong = await check();
      distrust(wrong);
      return wrong;
    },
  };
}

/** A small part may be a view of the large buffer it came in: keeping it would keep all of that. */
function ownBytes(content: Buffer): Buffer {
  return content.buffer.byteLength > 2 * content.length ? Buffer.from(content) : content;
}
