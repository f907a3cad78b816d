import path from 'node:path';
import { configErrorText, type ConfigError } from '../config/config-error.ts';
import type { ConfigLibrary } from '../config/config-library.ts';
import { readDocuments } from '../config/read-documents.ts';
import { CodedError } from '../lib/coded-error.ts';
import { readLibraries } from './read-config.ts';
import { version } from '../lib/version.ts';

/**
 * The libraries of a folder as `libraryRefs` can name them: each `*.yaml` under its name, in the version of this program.
 *
 * @throws CodedError `HAPTIC_ERR_CONFIG_READ` naming the path, `HAPTIC_ERR_CONFIG_INVALID` naming file and line
 */
export async function shippedLibraries(folder: string): Promise<readonly ConfigLibrary[]> {
  const errors: ConfigError[] = [];
  const files = await readLibraries(folder);
  const libraries = files.flatMap((file) =>
    readDocuments(file, errors).flatMap((document): ConfigLibrary[] => {
      if (document.kind === 'config') return [];
      const name = document.kind === 'library' ? document.name : path.basename(file.name, '.yaml');
      return [{ name, revision: version, spec: document.spec }];
    }),
  );
  if (errors.length > 0)
    throw new CodedError('HAPTIC_ERR_CONFIG_INVALID', errors.map(configErrorText).join('\n'));
  return libraries;
}
