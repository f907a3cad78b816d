import { open } from 'node:fs/promises';
import { digest } from '../../lib/digest.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { ApplyManifest, ManifestFile } from '../../protocol/wire.ts';
import type { HeldFile, HeldFiles } from '../files/held-files.ts';
import { splice } from '../files/splice.ts';
import type { StagedFile } from '../files/staged-file.ts';
import type { StagingArea } from '../files/staging-area.ts';
import { withFileChanges } from '../files/with-file-changes.ts';
import type { ApplyPart } from './apply-parts.ts';
import { digestStream } from './digest-stream.ts';
import { readBytes } from './read-bytes.ts';

export interface StagedSet {
  /** Every file of the desired set. */
  readonly files: ReadonlyMap<string, HeldFile>;
  /** Those of them whose content differs from what is on disk. */
  readonly staged: readonly StagedFile[];
  readonly plan: Buffer | undefined;
}

export type Staging =
  | { readonly kind: 'staged'; readonly set: StagedSet }
  | { readonly kind: 'missing'; readonly paths: readonly string[] };

/** Files up to this size, and up to the total, are held in memory while they are staged; larger ones go to a staging file. */
const memoryFileBytes = 4 * 1024 * 1024;
const memoryTotalBytes = 32 * 1024 * 1024;

/**
 * Takes in the parts of an apply: splices patches into the held files, verifies size and digest of each file, and finds which
 * files of the manifest are neither sent nor held. Nothing under a final name is touched.
 * Throws CodedError `HAPTIC_ERR_AGENT_BODY` or `HAPTIC_ERR_AGENT_PART` for parts that are not what the manifest says.
 */
export async function stageParts(
  manifest: ApplyManifest,
  parts: AsyncIterable<ApplyPart>,
  held: HeldFiles,
  area: StagingArea,
): Promise<Staging> {
  const wanted = new Map(manifest.files.map((file) => [file.path, file]));
  const sent = new Map<string, StagedFile>();
  const missing = new Set<string>();
  let plan: Buffer | undefined;
  let inMemory = 0;
  for await (const part of parts) {
    if (part.kind === 'manifest') throw partError('the manifest is there twice');
    if (part.kind === 'plan') {
      plan = await readBytes(contentOf(part), limits.planBlobBytes, 'the plan part');
      continue;
    }
    const file = wanted.get(part.path);
    if (file === undefined) throw partError(`${JSON.stringify(part.path)} is not in the manifest`);
    if (sent.has(part.path)) throw partError(`${JSON.stringify(part.path)} is there twice`);
    const inPlace = file.size <= memoryFileBytes && inMemory + file.size <= memoryTotalBytes;
    if (inPlace || file.patch !== undefined) inMemory += file.size;
    const source = await takeIn(file, contentOf(part), held, area, inPlace);
    if (source === undefined) missing.add(file.path);
    else sent.set(file.path, { path: file.path, held: heldFile(file), source });
  }
  for (const file of manifest.files) {
    if (!sent.has(file.path) && !isHeld(file, held)) missing.add(file.path);
  }
  const files = desiredFiles(manifest, held);
  if (manifest.removed_files !== undefined)
    for (const [path, { proof }] of files) if (proof === '' && !wanted.has(path)) missing.add(path);
  if (missing.size > 0) return { kind: 'missing', paths: [...missing].sort() };
  const staged = [...sent.values()].filter((file) => differs(file, held));
  return { kind: 'staged', set: { files, staged, plan } };
}

/** What is wrong with a part's bytes on their way is wrong with the body, however the parser words it. */
async function* contentOf({ content }: Exclude<ApplyPart, { kind: 'manifest' }>): AsyncGenerator {
  try {
    yield* content;
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError('HAPTIC_ERR_AGENT_BODY', `the body is malformed: ${reason}`, { cause });
  }
}

/** Undefined: the patch's base is not held. */
async function takeIn(
  file: ManifestFile,
  content: AsyncIterable<unknown>,
  held: HeldFiles,
  area: StagingArea,
  inMemory: boolean,
): Promise<StagedFile['source'] | undefined> {
  const { patch } = file;
  if (patch !== undefined) {
    const length = file.size - patch.base_size + patch.length;
    const bytes = await readBytes(content, length, JSON.stringify(file.path));
    const base = await baseOf(file.path, patch, held);
    if (base === undefined) return undefined;
    if (bytes.length !== length)
      throw partError(`the patch of ${JSON.stringify(file.path)} does not have the length it says`);
    const { base_digest, base_size: size, ...place } = patch;
    const change = { base: { digest: base_digest, size }, ...place, bytes };
    return {
      bytes: verified(file, splice(held.blank(file.path, file.size), base, change)),
      patch: change,
    };
  }
  if (inMemory)
    return { bytes: verified(file, await readBytes(content, file.size, JSON.stringify(file.path))) };
  const tempPath = await area.pathFor(file.path);
  const handle = await open(tempPath, 'wx', 0o600);
  try {
    const { size, digest: actual } = await digestStream(content, (chunk) => handle.writeFile(chunk));
    check(file, size, actual);
  } finally {
    await handle.close();
  }
  return { tempPath };
}

async function baseOf(
  path: string,
  patch: NonNullable<ManifestFile['patch']>,
  held: HeldFiles,
): Promise<Buffer | undefined> {
  const known = held.all().get(path);
  if (known?.digest !== patch.base_digest || known.size !== patch.base_size) return undefined;
  return held.content(path);
}

function verified(file: ManifestFile, bytes: Buffer): Buffer {
  check(file, bytes.length, digest(bytes));
  return bytes;
}

function check(file: ManifestFile, size: number, actual: string): void {
  const name = JSON.stringify(file.path);
  if (size !== file.size)
    throw partError(`${name} has ${String(size)} bytes, the manifest says ${String(file.size)}`);
  if (actual !== file.digest)
    throw partError(`${name} has digest ${actual}, the manifest says ${file.digest}`);
}

/** Without a proof of equality the bytes must come. */
function isHeld(file: ManifestFile, held: HeldFiles): boolean {
  const known = held.all().get(file.path);
  return (
    known !== undefined &&
    file.proof !== undefined &&
    file.proof !== '' &&
    known.proof === file.proof &&
    known.digest === file.digest &&
    known.size === file.size &&
    known.kind === file.kind
  );
}

function differs(file: StagedFile, held: HeldFiles): boolean {
  const known = held.all().get(file.path);
  return known?.digest !== file.held.digest || known.size !== file.held.size || known.kind !== file.held.kind;
}

/** The held set itself when nothing in it changes, so that what is derived from it stays valid. */
function desiredFiles(
  { files, removed_files: removed }: ApplyManifest,
  held: HeldFiles,
): ReadonlyMap<string, HeldFile> {
  const before = held.all();
  const changes = files.filter((file) => {
    const known = before.get(file.path);
    return known?.digest !== file.digest || known.proof !== (file.proof ?? '') || known.kind !== file.kind;
  });
  if (removed === undefined) {
    const isSame = changes.length === 0 && before.size === files.length;
    return isSame ? before : new Map(files.map((file) => [file.path, heldFile(file)]));
  }
  if (changes.length === 0 && !removed.some((path) => before.has(path))) return before;
  const after = withFileChanges(
    before,
    removed,
    changes.map((file) => [file.path, heldFile(file)] as const),
  );
  if (after.size > limits.files) throw partError(`there are more than ${String(limits.files)} files`);
  return after;
}

function heldFile(file: ManifestFile): HeldFile {
  return { digest: file.digest, proof: file.proof ?? '', size: file.size, kind: file.kind };
}

function partError(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_AGENT_PART', message);
}
