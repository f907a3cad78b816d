import type { TemplateEnvironment } from '../templates/create-template-environment.ts';
import type { BundleOptions } from './bundle-state.ts';
import type { RenderDocument } from './documents-of.ts';

/** Maps, crt-lists and files that are there even without entries: those with a template, and those that a template names. */
export function bundleOptionsOf(
  documents: readonly RenderDocument[],
  { mapPaths, crtListPaths }: Pick<TemplateEnvironment, 'mapPaths' | 'crtListPaths'>,
): BundleOptions {
  return {
    maps: [
      ...documents.filter(({ kind }) => kind === 'map').map(({ path, ordered }) => ({ path, ordered })),
      ...[...mapPaths.keys()]
        .filter((path) => documents.every((document) => document.path !== path))
        .map((path) => ({ path, ordered: false })),
    ],
    crtLists: [
      ...new Set([
        ...documents.filter(({ kind }) => kind === 'crt-list').map(({ path }) => path),
        ...crtListPaths.keys(),
      ]),
    ],
    files: documents.flatMap(({ kind, path, reloadOnChange }) => {
      if (kind === 'file') return [{ path, reloadOnChange }];
      return kind === 'certificate' ? [{ path, reloadOnChange, kind: 'cert' as const }] : [];
    }),
  };
}
