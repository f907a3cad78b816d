import { writeFile } from 'node:fs/promises';
import { strToU8, zipSync, type Zippable } from 'fflate';
import { redact } from '../../lib/redact.ts';

/** A file of a bundle: text as it is, or anything else as JSON. */
export interface BundleFile {
  readonly path: string;
  readonly content: unknown;
  /** It may hold values of Secrets as templates printed them. */
  readonly mayHoldSecrets: boolean;
}

/**
 * Writes the files as a zip that only its owner may read. Fields that are secret by name, private keys, and whatever `scrub` finds are
 * replaced in each. Where the search is `incomplete`, what may hold values of Secrets is left out, and LEFT-OUT.txt tells so.
 *
 * @returns paths that were written, sorted
 */
export async function writeBundle(
  target: string,
  files: readonly BundleFile[],
  { scrub, incomplete }: { readonly scrub: (text: string) => string; readonly incomplete?: string },
): Promise<readonly string[]> {
  const left: string[] = [];
  const entries: Zippable = {};
  for (const { path, content, mayHoldSecrets } of files) {
    if (mayHoldSecrets && incomplete !== undefined) left.push(path);
    else entries[path] = strToU8(scrub(textOf(redact(content))));
  }
  if (incomplete !== undefined)
    entries['LEFT-OUT.txt'] = strToU8(
      `Not every Secret could be read (${scrub(incomplete)}), so their values could not be searched for. Left out:\n${left.map((path) => `${path}\n`).join('')}`,
    );
  await writeFile(target, zipSync(entries, { level: 9 }), { mode: 0o600 });
  return Object.keys(entries).sort();
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`;
}
