import {
  NEVER,
  type Observable,
  ReplaySubject,
  combineLatest,
  defer,
  filter,
  map,
  share,
  takeUntil,
  tap,
} from 'rxjs';
import { apiGroup } from '../api/api-group.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { coalesce } from '../operators/coalesce.ts';
import { type ListWatchDeps, type ListWatchResource, type StopDeps, listWatch } from './list-watch.ts';
import { reflect } from './reflect.ts';
import type { ResourceToken } from './resource-token.ts';
import { type WatchNotice, noticeOf } from './watch-notice.ts';

export interface ConfigObjectsDeps extends ListWatchDeps, StopDeps {
  /** The resources are called `haproxytemplateconfigs` and `haproxytemplatelibraries`. */
  readonly notice: (notice: WatchNotice) => void;
}

export interface ConfigObjectsOptions {
  /** Of the configuration and of its libraries. */
  readonly namespace: string;
  readonly name: string;
}

/** The configuration as it stands in the API. */
export interface ConfigObjects {
  /** False when the API does not know the kind: its CRD is not installed. */
  readonly isServed: boolean;
  /** Absent when there is none of the name. */
  readonly config?: KubeObject;
  /** Every HAProxyTemplateLibrary of the namespace, by name. */
  readonly libraries: readonly KubeObject[];
}

/**
 * A HAProxyTemplateConfig and the libraries around it: the first value when both kinds are known, then one per change. A change of
 * status is a value too; who has no use for it compares what matters. While the API cannot be watched, the last value
 * stands.
 *
 * Shared; late subscribers get the newest value. Loss policy: the newest wins within one synchronous burst, no delay is added.
 * Never errors, never completes.
 */
export function configObjects(
  deps: ConfigObjectsDeps,
  { namespace, name }: ConfigObjectsOptions,
): Observable<ConfigObjects> {
  return defer(() => {
    const configs = watchKind(deps, {
      apiVersion: apiGroup.apiVersion,
      resources: 'haproxytemplateconfigs',
      namespace,
      fieldSelector: `metadata.name=${name}`,
    });
    const libraries = watchKind(deps, {
      apiVersion: apiGroup.apiVersion,
      resources: 'haproxytemplatelibraries',
      namespace,
    });
    return combineLatest([configs.token$, libraries.token$]).pipe(
      coalesce(),
      map(([{ kind }]): ConfigObjects => {
        const config = configs.objects.get(`${namespace}/${name}`);
        return {
          isServed: kind !== 'absent',
          ...(config && { config }),
          libraries: [...libraries.objects.values()].sort((a, b) =>
            a.metadata.name < b.metadata.name ? -1 : 1,
          ),
        };
      }),
    );
  }).pipe(
    takeUntil(deps.stop$ ?? NEVER),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );
}

/** Also an object that is nested without end, so that its status can say so. */
function watchKind(deps: ConfigObjectsDeps, resource: ListWatchResource) {
  const objects = new Map<string, KubeObject>();
  const name = resource.resources;
  const store = {
    set: (key: string, object: KubeObject) => void objects.set(key, object),
    delete: (key: string) => void objects.delete(key),
    replace: (entries: Iterable<readonly [string, KubeObject]>) => {
      objects.clear();
      for (const [key, object] of entries) objects.set(key, object);
    },
  };
  const token$ = listWatch(deps, { ...resource, anyDepth: true }).pipe(
    tap((event) => {
      const notice = noticeOf(name, event);
      if (notice !== undefined) deps.notice(notice);
    }),
    reflect(name, store),
    filter(({ kind }: ResourceToken) => kind !== 'degraded' && kind !== 'recovered'),
  );
  return { objects, token$ };
}
