import { resolveFiles } from '../../config/resolve-files.ts';
import type { Resolution } from '../../config/merge-documents.ts';
import { readLibraries } from '../read-config.ts';
import { version } from '../../lib/version.ts';
import { type Manifest, manifestName } from './manifest.ts';
import { toYaml } from '../../lib/to-yaml.ts';

const kinds = ['HAProxyTemplateConfig', 'HAProxyTemplateLibrary'];

/**
 * The configuration that a rendered chart has, as the controller would take it; undefined: it has none.
 *
 * @param libraries folder of the libraries that came with the program
 */
export async function resolveManifests(
  manifests: readonly Manifest[],
  libraries: string,
): Promise<Resolution | undefined> {
  const own = manifests.filter(({ kind }) => kinds.includes(kind));
  if (!own.some(({ kind }) => kind === kinds[0])) return undefined;
  const values = own.map((manifest) => ({
    name: manifestName(manifest),
    text: toYaml(manifest),
  }));
  return resolveFiles({ shipped: await readLibraries(libraries), values, revision: version });
}
