import type { TemplateConfig } from '../api/template-config.ts';
import { configInvalid } from './config-invalid.ts';
import type { LibraryFile } from './library-file.ts';
import { resolveFiles, type FileRequest } from './resolve-files.ts';

/**
 * The configuration from files, see {@link resolveFiles}. Throws `HAPTIC_ERR_CONFIG_INVALID` with every error, one a line, each
 * with file and field.
 */
export function loadConfig(
  values: readonly LibraryFile[],
  request: Omit<FileRequest, 'values'> = {},
): TemplateConfig {
  const resolved = resolveFiles({ ...request, values });
  if (resolved.ok) return resolved.config;
  throw configInvalid(resolved.errors);
}
