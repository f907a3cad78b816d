import { map, type Observable } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { KubeResult } from '../kube/kube-failure.ts';
import type { ReadJson } from '../kube/read-json.ts';
import { resourcePath } from '../kube/resource-path.ts';
import { dropFields } from './drop-fields.ts';
import { normalizeObject } from './normalize-object.ts';
import type { WatchSpec } from './watch-spec.ts';

/**
 * Reads single objects of a watched resource by their keys in its store, in the form in which a watch would have stored them.
 * One value, then completion; never errors.
 */
export function readObject(
  read: ReadJson,
  apiVersion: string,
  { resources, ignoreFields, name }: Pick<WatchSpec, 'resources' | 'ignoreFields' | 'name'>,
): (key: string) => Observable<KubeResult<KubeObject>> {
  const drop = dropFields(ignoreFields, `watchedResources.${name}.ignoreFields`);
  return (key) => {
    const slash = key.indexOf('/');
    const object = key.slice(slash + 1);
    const path = resourcePath(
      { apiVersion, resources, ...(slash === -1 ? {} : { namespace: key.slice(0, slash) }) },
      object,
    );
    return read({ path }).pipe(
      map((result): KubeResult<KubeObject> => {
        if (!result.ok) return result;
        const normalized = normalizeObject(result.value, { apiVersion, kind: resources });
        if (!normalized.ok)
          return { ok: false, failure: { kind: 'protocol', message: normalized.problem.message } };
        return { ok: true, value: drop(normalized.object) };
      }),
    );
  };
}
