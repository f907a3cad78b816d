import { posix } from 'node:path';
import type { DataplaneConfig } from '../api/template-config.ts';
import type { TemplateFolders } from '../templates/run.ts';

/** Where the maps and files of the configuration lie in the bundle: `maps/<name>`, `general/<name>`, `ssl` by default. */
export interface BundlePaths {
  map(name: string): string;
  file(name: string): string;
  /** Folder of certificates and crt-lists. */
  readonly certificates: string;
  readonly folders: TemplateFolders;
}

/** Paths are relative to the directory of HAProxy's configuration file, which is its `default-path origin`. */
export function bundlePaths({
  configFile,
  mapsDir,
  sslCertsDir,
  generalStorageDir,
}: DataplaneConfig): BundlePaths {
  const base = posix.dirname(configFile);
  const below = (directory: string, name: string): string => {
    const relative = posix.relative(base, directory);
    return posix.join(relative.startsWith('..') ? posix.basename(directory) : relative, name);
  };
  const folders = {
    base,
    maps: below(mapsDir, '.'),
    general: below(generalStorageDir, '.'),
    certificates: below(sslCertsDir, '.'),
  };
  return {
    map: (name) => below(mapsDir, name),
    file: (name) => below(generalStorageDir, name),
    certificates: folders.certificates,
    folders,
  };
}
