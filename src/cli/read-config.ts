import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TemplateConfig } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { loadConfig } from '../render/load-config.ts';

/**
 * The configuration from files: `*.yaml` of the libraries' folder in name order, then the value files as given.
 *
 * @throws CodedError `HAPTIC_ERR_CONFIG_READ` naming the path, `HAPTIC_ERR_CONFIG_INVALID` naming file and field
 */
export async function readConfig(libraries: string, values: readonly string[]): Promise<TemplateConfig> {
  const names = await readdir(libraries).catch((error: unknown) => unreadable(libraries, error));
  const files = names
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => path.join(libraries, name));
  if (files.length === 0)
    throw new CodedError('HAPTIC_ERR_CONFIG_READ', `${libraries}: no *.yaml in this folder`);
  const texts = [...files, ...values].map(async (name) => ({
    name,
    text: await readFile(name, 'utf8').catch((error: unknown) => unreadable(name, error)),
  }));
  return loadConfig(await Promise.all(texts));
}

function unreadable(name: string, cause: unknown): never {
  throw new CodedError(
    'HAPTIC_ERR_CONFIG_READ',
    `${name}: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  );
}
