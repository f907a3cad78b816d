import { existsSync } from 'node:fs';
import path from 'node:path';
import type { TemplateConfig } from '../api/template-config.ts';
import { loadConfig } from '../config/load-config.ts';
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
  return {
    config: loadConfig(given, request),
    files: [...(request.shipped ?? []), ...given].map(({ name }) => name),
  };
}
