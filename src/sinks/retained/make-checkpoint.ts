import type { Checkpoint } from '../../kube/retained-object.ts';
import { valuesOf } from '../../lib/ordered-map.ts';
import type { Plan } from '../../protocol/plan.ts';
import { encodeContent } from '../publish/encode-content.ts';
import { configChecksum, sha256Of } from './config-checksum.ts';
import { encodeArchive } from './retained-archive.ts';

export interface CheckpointOptions extends Pick<Checkpoint, 'path' | 'matchLabels' | 'port' | 'deliveredTo'> {
  /** Bytes from which haproxy.cfg is shown compressed. */
  readonly compressionThreshold: number;
  readonly signal: AbortSignal;
}

/** Of a Secret, whose values may have 1 MiB together. */
const partBytes = 900_000;
const mostParts = 32;

/** A render in the form in which it is kept. Undefined: it has no haproxy.cfg, or does not fit. Rejects when aborted. */
export async function makeCheckpoint(
  plan: Plan,
  blob: Uint8Array,
  { compressionThreshold, signal, ...options }: CheckpointOptions,
): Promise<Checkpoint | undefined> {
  const checksum = await configChecksum(plan);
  const [config] = [...valuesOf(plan.files)].filter(({ kind }) => kind === 'config');
  if (checksum === undefined || config === undefined) return undefined;
  const archive = await encodeArchive(plan, blob, signal);
  if (archive.byteLength > partBytes * mostParts) return undefined;
  const parts: Checkpoint['parts'][number][] = [];
  for (let at = 0; at < archive.byteLength; at += partBytes) {
    const bytes = archive.subarray(at, at + partBytes);
    parts.push({ bytes, checksum: await sha256Of(bytes) });
    signal.throwIfAborted();
  }
  const { path } = options;
  const { size, digest, content } = config;
  const shown = await encodeContent(
    { kind: 'config', name: '', path, fileName: '', digest, size, content },
    compressionThreshold,
    signal,
  );
  return { ...options, planId: plan.id, checksum, shown, parts };
}
