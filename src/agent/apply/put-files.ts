import path from 'node:path';
import { commitFiles, type CommittedFiles } from '../files/commit-files.ts';
import type { WrittenFile } from '../files/write-staged.ts';
import type { ApplyContext } from './apply-context.ts';
import type { Undertaking } from './undertake.ts';

export type FilesOutcome =
  { readonly ok: true; readonly files: CommittedFiles } | { readonly ok: false; readonly error: Error };

/**
 * Puts the files of an apply in their places, or leaves all as they were. The second copy of the configuration is there before the
 * configuration is: from its first instant on a container that starts may copy its image's over it.
 */
export async function putFiles(
  { options, area, configCopy }: ApplyContext,
  { set, removed, fresh, config }: Pick<Undertaking, 'set' | 'removed' | 'fresh' | 'config'>,
  written: Promise<readonly WrittenFile[]>,
): Promise<FilesOutcome> {
  const { baseDir, configFile } = options;
  written.catch(() => undefined);
  try {
    const entry = fresh.get(configFile);
    const isLastKept =
      config !== undefined &&
      entry !== undefined &&
      entry.kind !== 'created' &&
      (await configCopy.linkTo(path.join(baseDir, entry.link), config.held));
    // After the former copy has its other name, since it is another file then.
    const [ready] = await Promise.all([written, configCopy.prepare(set.staged)]);
    const files = await commitFiles({
      baseDir,
      staging: area,
      staged: set.staged,
      written: Promise.resolve(ready),
      removed,
      last: configFile,
      lastBytes: config?.bytes,
      isLastKept,
      journal: fresh,
    });
    return { ok: true, files };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
