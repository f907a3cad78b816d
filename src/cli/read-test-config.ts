import { existsSync } from 'node:fs';
import path from 'node:path';
import type { TemplateConfig } from '../api/template-config.ts';
import { configInvalid } from '../config/config-invalid.ts';
import { resolveFiles } from '../config/resolve-files.ts';
import { readConfigFiles, readLibraries } from './read-config.ts';

export interface TestConfigRequest {
  /** Folder of libraries; their tests are in its folder `tests`. */
  readonly libraries: string;
  /** Configurations, libraries and bare specs. */
  readonly files: readonly string[];
  readonly libraryTests: boolean;
}

export interface TestConfig {
  readonly config: TemplateConfig;
  /** Where a template stands, by the name that its errors carry: `library base/snippet frontends-500`. */
  readonly sourceOfTemplate: (template: string) => string;
  /** Files that may define tests; what a later one has replaces the earlier. */
  readonly files: readonly string[];
}

/**
 * The configuration that is to be tested: as `haptic run` would have it, and with the tests of the libraries, which it has no use for.
 *
 * @throws CodedError `HAPTIC_ERR_CONFIG_READ` naming the path, `HAPTIC_ERR_CONFIG_INVALID` naming file and field
 */
export async function readTestConfig({
  libraries,
  files,
  libraryTests,
}: TestConfigRequest): Promise<TestConfig> {
  const { values, ...request } = await readConfigFiles(libraries, files);
  const folder = path.join(libraries, 'tests');
  const tests = libraryTests && existsSync(folder) ? await readLibraries(folder) : [];
  const given = [...tests, ...values];
  const resolved = resolveFiles({ ...request, values: given });
  if (!resolved.ok) throw configInvalid(resolved.errors);
  return {
    config: resolved.config,
    sourceOfTemplate: resolved.sources.sourceOfTemplate,
    files: [...(request.shipped ?? []), ...given].map(({ name }) => name),
  };
}
