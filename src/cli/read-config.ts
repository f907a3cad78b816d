import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TemplateConfig } from '../api/template-config.ts';
import type { LibraryFile } from '../config/library-file.ts';
import { loadConfig } from '../config/load-config.ts';
import type { FileRequest } from '../config/resolve-files.ts';
import { CodedError } from '../lib/coded-error.ts';
import { readFailure } from '../lib/read-failure.ts';
import { version } from '../lib/version.ts';

/**
 * The configuration from files: `*.yaml` of the libraries' folder in name order, then the value files as given. With a
 * HAProxyTemplateConfig among the values, the folder's files are libraries to refer to, in the version of this program.
 *
 * @throws CodedError `HAPTIC_ERR_CONFIG_READ` naming the path, `HAPTIC_ERR_CONFIG_INVALID` naming file and field
 */
export async function readConfig(libraries: string, values: readonly string[]): Promise<TemplateConfig> {
  const { values: files, ...request } = await readConfigFiles(libraries, values);
  return loadConfig(files, request);
}

/** The same, read and not yet resolved. */
export async function readConfigFiles(libraries: string, values: readonly string[]): Promise<FileRequest> {
  const [shipped, given] = await Promise.all([readLibraries(libraries), readAll(values)]);
  return { shipped, values: given, revision: version };
}

/** @throws CodedError `HAPTIC_ERR_CONFIG_READ` naming the folder or file */
export async function readLibraries(folder: string): Promise<readonly LibraryFile[]> {
  const names = await readdir(folder).catch((error: unknown) => unreadable(folder, error));
  const files = names
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => path.join(folder, name));
  if (files.length === 0)
    throw new CodedError('HAPTIC_ERR_CONFIG_READ', `${folder}: no *.yaml in this folder`);
  return readAll(files);
}

function readAll(names: readonly string[]): Promise<readonly LibraryFile[]> {
  return Promise.all(
    names.map(async (name) => ({
      name,
      text: await readFile(name, 'utf8').catch((error: unknown) => unreadable(name, error)),
    })),
  );
}

function unreadable(name: string, cause: unknown): never {
  throw new CodedError('HAPTIC_ERR_CONFIG_READ', `${name}: ${readFailure(cause)}`, { cause });
}
