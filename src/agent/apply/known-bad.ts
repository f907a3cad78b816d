import { createHash } from 'node:crypto';
import { digest } from '../../lib/digest.ts';
import type { ApplyManifest } from '../../protocol/wire.ts';
import type { HeldFile } from '../files/held-files.ts';

/** Work that HAProxy itself refused a moment ago, so that the same is not put to it, and through a rollback, again and again. */
export interface KnownBad {
  /** HAProxy's words about exactly this work; undefined: it was not refused of late. Costs nothing while nothing was. */
  find(manifest: ApplyManifest, files: DesiredFiles): string | undefined;
  /** Only for a verdict of HAProxy's own: never for a disk, a time-out or an unreachable socket. */
  remember(manifest: ApplyManifest, files: DesiredFiles, output: string): void;
}

/** The whole set, however much of it the manifest says. */
type DesiredFiles = ReadonlyMap<string, HeldFile>;

interface Verdict {
  readonly key: string;
  readonly sha256: string;
  readonly output: string;
  readonly until: number;
}

const keptMs = 60_000;
const keptVerdicts = 16;

/**
 * Keyed by the digest of the work and then told apart by its exact bytes, kept as their SHA-256 since the work of a large set takes
 * megabytes.
 */
export function createKnownBad(now: () => number): KnownBad {
  let verdicts: readonly Verdict[] = [];
  const current = () => verdicts.filter((verdict) => verdict.until > now());
  return {
    find: (manifest, files) => {
      if (verdicts.length === 0) return undefined;
      verdicts = current();
      if (verdicts.length === 0) return undefined;
      const { key, sha256 } = identityOf(manifest, files);
      return verdicts.find((verdict) => verdict.key === key && verdict.sha256 === sha256)?.output;
    },
    remember: (manifest, files, output) => {
      const verdict: Verdict = { ...identityOf(manifest, files), output, until: now() + keptMs };
      verdicts = [...current().filter((other) => other.sha256 !== verdict.sha256), verdict].slice(
        -keptVerdicts,
      );
    },
  };
}

/** What the work is, without who asks for it and when (the fence), and without how the bytes travel (patches). */
function identityOf(
  manifest: ApplyManifest,
  files: DesiredFiles,
): { readonly key: string; readonly sha256: string } {
  const paths = [...files.keys()].sort();
  const work = JSON.stringify([
    manifest.identity_version,
    manifest.plan_id,
    manifest.plan_proof,
    manifest.plan_schema_version,
    paths.map((path) => {
      const { digest: hash, proof, size, kind } = files.get(path) ?? {};
      return [path, hash, proof, size, kind];
    }),
    manifest.ops,
    manifest.op_batches ?? [],
    manifest.in_place_ops ?? [],
    manifest.expected_worker_ops_plan_id,
    manifest.expected_worker_ops_plan_proof,
    manifest.worker_ops_plan_id,
    manifest.mode,
  ]);
  return { key: digest(work), sha256: createHash('sha256').update(work).digest('hex') };
}
