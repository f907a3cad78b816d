import type { TemplateEnvironment } from '../templates/create-template-environment.ts';
import { templateInvalid } from '../templates/template-error.ts';
import type { RenderDocument } from './documents-of.ts';

/** Effects cannot write into ordered maps, nor over files that the configuration makes. */
export function takenPaths(
  documents: readonly RenderDocument[],
  { mapPaths, crtListPaths }: Pick<TemplateEnvironment, 'mapPaths' | 'crtListPaths'>,
): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const { kind, path, ordered, template } of documents) {
    if (path === '') continue;
    if (kind !== 'crt-list') taken.set(`crt-list ${path}`, `${template} makes the file ${path}`);
    if (kind === 'map') taken.set(`file ${path}`, `${template} makes the file ${path}`);
    if (kind === 'map' && ordered)
      taken.set(
        `map ${path}`,
        `${template} makes the map ${path}, whose order counts: set ordered to false to add entries from elsewhere`,
      );
    if (kind === 'file' || kind === 'certificate' || kind === 'crt-list')
      for (const what of ['file', 'map']) taken.set(`${what} ${path}`, `${template} makes the file ${path}`);
  }
  const written = [
    ...[...mapPaths].map(([path, place]) => [`map ${path}`, place] as const),
    ...[...crtListPaths].map(([path, place]) => [`crt-list ${path}`, place] as const),
  ];
  const clashes = written.flatMap(([what, place]) => {
    const message = taken.get(what);
    return message === undefined ? [] : [{ ...place, message }];
  });
  if (clashes.length > 0) throw templateInvalid(clashes);
  for (const path of mapPaths.keys())
    if (!taken.has(`file ${path}`)) taken.set(`file ${path}`, `mapEntry makes the map ${path}`);
  for (const path of crtListPaths.keys())
    for (const what of ['file', 'map'])
      if (!taken.has(`${what} ${path}`))
        taken.set(`${what} ${path}`, `crtListEntry makes the crt-list ${path}`);
  return taken;
}
