import type { ApplyManifest, ManifestFile } from '../../protocol/wire.ts';
import { pathProblem } from '../files/path-rules.ts';
import { manifestValidators } from './manifest-validators.ts';

export interface ManifestRules {
  /** The path that every file set must contain. */
  readonly configFile: string;
  /** Paths that are not the controller's to write: sockets and the agent's own files. */
  readonly reserved: ReadonlySet<string>;
}

/** A manifest's text as a manifest, or what is wrong with it, by field. */
export function parseManifest(
  text: string,
  rules: ManifestRules,
):
  { readonly ok: true; readonly manifest: ApplyManifest } | { readonly ok: false; readonly message: string } {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return { ok: false, message: 'the manifest is not JSON' };
  }
  if (!isManifest(manifest)) {
    const error = manifestValidators.manifest.errors?.[0];
    return { ok: false, message: `manifest${error?.instancePath ?? ''} ${error?.message ?? 'is not valid'}` };
  }
  const message = referenceProblem(manifest) ?? filesProblem(manifest, rules);
  return message === undefined ? { ok: true, manifest: normalised(manifest) } : { ok: false, message };
}

function isManifest(value: unknown): value is ApplyManifest {
  return manifestValidators.manifest(value);
}

/** Who does not say what the worker is on cannot know what operations would do to it: the files are reloaded instead. */
function normalised(manifest: ApplyManifest): ApplyManifest {
  const blind = manifest.expected_worker_ops_plan_proof === '' && (manifest.in_place_ops ?? []).length === 0;
  if (manifest.mode !== 'auto' || !blind) return manifest;
  const { op_batches: _batches, ...rest } = manifest;
  return { ...rest, ops: [], mode: 'reload' };
}

/** What belongs together, and what a mode needs (haptic-agent protocol, validation). */
function referenceProblem(manifest: ApplyManifest): string | undefined {
  const isSet = (text: string | undefined) => text !== undefined && text !== '';
  if (isSet(manifest.validated_plan_id) !== isSet(manifest.validated_plan_proof))
    return 'validated_plan_id and validated_plan_proof go together';
  if (manifest.mode === 'revert_lkg')
    return isSet(manifest.plan_proof) ? undefined : 'mode revert_lkg needs plan_proof';
  if ((manifest.in_place_ops ?? []).length === 0) return undefined;
  const needed = [
    'worker_ops_plan_id',
    'expected_worker_ops_plan_id',
    'expected_worker_ops_plan_proof',
  ] as const;
  const missing = needed.find((field) => !isSet(manifest[field]));
  return missing === undefined ? undefined : `in_place_ops need ${missing}`;
}

/** A revert names no files: those it puts back are in the pod. */
function filesProblem(
  { files, removed_files: removed, mode }: ApplyManifest,
  rules: ManifestRules,
): string | undefined {
  if (mode === 'revert_lkg')
    return files.length === 0 && removed === undefined ? undefined : 'files: mode revert_lkg takes none';
  const seen = new Set<string>();
  for (const file of files) {
    const problem = fileProblem(file, rules, seen);
    if (problem !== undefined) return `files: ${JSON.stringify(file.path.slice(0, 300))} ${problem}`;
    seen.add(file.path);
  }
  if (removed === undefined && !seen.has(rules.configFile)) return `files: ${rules.configFile} is missing`;
  for (const file of files) {
    for (let at = file.path.lastIndexOf('/'); at > 0; at = file.path.lastIndexOf('/', at - 1)) {
      if (seen.has(file.path.slice(0, at)))
        return `files: ${JSON.stringify(file.path)} lies below another file`;
    }
  }
  return removed && removedProblem(removed, rules, seen);
}

function removedProblem(
  removed: readonly string[],
  { configFile }: ManifestRules,
  kept: ReadonlySet<string>,
): string | undefined {
  if (removed.includes(configFile)) return `removed_files: ${configFile} is missing then`;
  const both = removed.find((path) => kept.has(path));
  return both && `removed_files: ${JSON.stringify(both.slice(0, 300))} is among files, too`;
}

function fileProblem(
  file: ManifestFile,
  rules: ManifestRules,
  seen: ReadonlySet<string>,
): string | undefined {
  const wrongPath = pathProblem(file.path);
  if (wrongPath !== undefined) return wrongPath;
  if (rules.reserved.has(file.path)) return 'is not the controller’s to write';
  if (seen.has(file.path)) return 'is there twice';
  const { patch } = file;
  if (patch === undefined) return undefined;
  if (patch.offset + patch.length > patch.base_size) return 'has a patch beyond the end of its base';
  if (file.size - patch.base_size + patch.length < 0) return 'has a patch that removes more than it says';
  return undefined;
}
