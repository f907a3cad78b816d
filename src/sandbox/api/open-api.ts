import { createHash } from 'node:crypto';
import { groupsOf } from './discovery.ts';
import { documentOf } from './open-api-document.ts';
import type { Registry } from './registry.ts';

/** OpenAPI v3: the index at `/openapi/v3` and one document for each group version, made when first asked for. */
export interface OpenApi {
  /** JSON of the document at this path; `undefined` if there is none. */
  readonly document: (pathname: string) => string | undefined;
}

export function createOpenApi(registry: Registry): OpenApi {
  let generation = -1;
  let documents = new Map<string, string>();
  let index = '';

  const refresh = () => {
    if (generation === registry.generation()) return;
    generation = registry.generation();
    documents = new Map();
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const { group, versions } of groupsOf(registry)) {
      for (const { version, types } of versions) {
        const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
        const text = JSON.stringify(documentOf(types));
        documents.set(`/openapi/v3/${path}`, text);
        const hash = createHash('sha512').update(text).digest('hex').toUpperCase();
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
      }
    }
    index = JSON.stringify({ paths });
  };

  return {
    document: (pathname) => {
      refresh();
      return pathname === '/openapi/v3' ? index : documents.get(pathname);
    },
  };
}
