import { Ajv } from 'ajv';
import type { ApplyManifest, ManifestFile } from '../../protocol/wire.ts';
import { pathProblem } from '../files/path-rules.ts';
import { manifestSchema } from './manifest-schema.ts';

const validate = new Ajv({ strict: true }).compile<ApplyManifest>(manifestSchema);

export interface ManifestRules {
  /** The path that every manifest must contain. */
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
  if (!validate(manifest)) {
    const error = validate.errors?.[0];
    return { ok: false, message: `manifest${error?.instancePath ?? ''} ${error?.message ?? 'is not valid'}` };
  }
  const message = modeProblem(manifest) ?? filesProblem(manifest.files, rules);
  return message === undefined ? { ok: true, manifest } : { ok: false, message };
}

/** Restoring the last known good files needs a journal, which this agent does not keep. */
function modeProblem(manifest: ApplyManifest): string | undefined {
  if (manifest.mode === 'revert_lkg') return 'mode revert_lkg is not offered by this agent (see features)';
  if (((manifest.validated_plan_id ?? '') === '') !== ((manifest.validated_plan_proof ?? '') === ''))
    return 'validated_plan_id and validated_plan_proof go together';
  return undefined;
}

function filesProblem(files: readonly ManifestFile[], rules: ManifestRules): string | undefined {
  const seen = new Set<string>();
  for (const file of files) {
    const problem = fileProblem(file, rules, seen);
    if (problem !== undefined) return `files: ${JSON.stringify(file.path.slice(0, 300))} ${problem}`;
    seen.add(file.path);
  }
  if (!seen.has(rules.configFile)) return `files: ${rules.configFile} is missing`;
  for (const file of files) {
    for (let at = file.path.lastIndexOf('/'); at > 0; at = file.path.lastIndexOf('/', at - 1)) {
      if (seen.has(file.path.slice(0, at)))
        return `files: ${JSON.stringify(file.path)} lies below another file`;
    }
  }
  return undefined;
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
