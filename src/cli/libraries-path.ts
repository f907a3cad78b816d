import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The template libraries that this program ships with: beside its bundle, or in the chart of a working copy. */
export function librariesPath(moduleUrl: string): string {
  for (let folder = path.dirname(fileURLToPath(moduleUrl)); ; folder = path.dirname(folder)) {
    for (const candidate of ['libraries', path.join('charts', 'haptic', 'libraries')]) {
      const libraries = path.join(folder, candidate);
      if (existsSync(path.join(libraries, 'base.yaml'))) return libraries;
    }
    if (folder === path.dirname(folder))
      return path.join(path.dirname(fileURLToPath(moduleUrl)), 'libraries');
  }
}
