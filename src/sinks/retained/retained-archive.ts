import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { digest } from '../../lib/digest.ts';
import { isRecord } from '../../lib/is-record.ts';
import { orderedMapInSlices } from '../../lib/ordered-map-in-slices.ts';
import { entriesOf, getEntry, valuesOf, type OrderedMap } from '../../lib/ordered-map.ts';
import { runWithTurns } from '../../lib/run-with-turns.ts';
import type { Slices } from '../../lib/slices.ts';
import { decodePlan } from '../../plan/decode-plan.ts';
import type { Plan, PlanFile } from '../../protocol/plan.ts';
import { configChecksum } from './config-checksum.ts';

/** Version of the form below. */
const version = 1;
/** Files between two turns of the event loop. */
const slice = 100;
const newline = 0x0a;
/** An archive that grows to more than this is not one of ours. */
const maxFileBytes = 256 * 1024 * 1024;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const options = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

interface Header {
  readonly version: typeof version;
  /** Bytes of the plan's blob, which comes next. */
  readonly plan: number;
  /** The files that a blob lacks, path and bytes of each, as they follow one another in the compressed rest. */
  readonly files: readonly (readonly [path: string, size: number])[];
}

/**
 * A render with all of its bytes: a line that says what follows, the plan as a blob, and the files that a blob has no bytes of, compressed. Works in slices;
 * compression is done beside the main thread. Rejects when aborted.
 */
export async function encodeArchive(
  plan: Plan,
  blob: Uint8Array,
  signal?: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const files: [string, number][] = [];
  const contents: Uint8Array[] = [];
  let looked = 0;
  for (const file of valuesOf(plan.files)) {
    if (++looked % slice === 0) await nextTurn(undefined, { ...(signal && { signal }) });
    if (isInBlob(plan, file)) continue;
    files.push([file.path, file.size]);
    contents.push(...file.content());
  }
  const header: Header = { version, plan: blob.byteLength, files };
  const rest = await compress(Buffer.concat(contents), options);
  signal?.throwIfAborted();
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), blob, rest]);
}

/**
 * The plan of an archive, whose files have their content, and its blob. Nothing of it is trusted: it must be of this version of the form, whole, with the bytes that
 * its digests say, and of a haproxy.cfg with the checksum that it was written down with. Rejects with the reason otherwise.
 */
export async function decodeArchive(
  bytes: Buffer,
  expected: { readonly planId: string; readonly checksum: string },
): Promise<{ readonly plan: Plan; readonly blob: Uint8Array }> {
  const end = bytes.indexOf(newline);
  const header = end < 0 ? undefined : headerOf(bytes.toString('utf8', 0, end));
  if (header === undefined) throw new Error('it has no header that can be understood');
  const blob = bytes.subarray(end + 1, end + 1 + header.plan);
  const decoded = await decodePlan(blob);
  if (decoded.kind === 'unusable') throw new Error(decoded.reason);
  const { plan } = decoded;
  const rest = await decompress(bytes.subarray(end + 1 + header.plan), { maxOutputLength: maxFileBytes });
  const contents = new Map<string, Uint8Array>();
  let at = 0;
  for (const [path, size] of header.files) {
    contents.set(path, rest.subarray(at, at + size));
    at += size;
  }
  const whole: Plan = { ...plan, files: await runWithTurns(wholeFiles(plan, contents)) };
  if (whole.id !== expected.planId) throw new Error(`it is render ${whole.id} instead of ${expected.planId}`);
  if ((await configChecksum(whole)) !== expected.checksum)
    throw new Error('its haproxy.cfg has another checksum');
  return { plan: whole, blob };
}

function* wholeFiles(plan: Plan, contents: ReadonlyMap<string, Uint8Array>): Slices<OrderedMap<PlanFile>> {
  const files: [string, PlanFile][] = [];
  for (const [path, file] of entriesOf(plan.files)) {
    files.push([path, isInBlob(plan, file) ? file : withContent(file, contents.get(path))]);
    yield;
  }
  return yield* orderedMapInSlices(files);
}

/** What the records of a plan determine is not kept twice. */
function isInBlob({ maps, crtLists }: Plan, { kind, path }: PlanFile): boolean {
  return kind === 'config' || getEntry(maps, path) !== undefined || getEntry(crtLists, path) !== undefined;
}

function withContent(file: PlanFile, bytes: Uint8Array | undefined): PlanFile {
  if (bytes?.byteLength !== file.size || digest(bytes) !== file.digest)
    throw new Error(`the bytes of ${file.path} are not those of the render`);
  return { ...file, content: () => [bytes] };
}

function headerOf(line: string): Header | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value['version'] !== version) return undefined;
  const { plan, files } = value;
  if (typeof plan !== 'number' || !Array.isArray(files) || !files.every(isFile)) return undefined;
  return { version, plan, files };
}

function isFile(value: unknown): value is readonly [string, number] {
  return (
    Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && typeof value[1] === 'number'
  );
}
