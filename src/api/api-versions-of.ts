import type { WatchedResource } from './template-config.ts';

/** The versions of a watched resource, most wanted first: `apiVersions`, or the one of `apiVersion`. */
export function apiVersionsOf({
  apiVersion,
  apiVersions,
}: Pick<WatchedResource, 'apiVersion' | 'apiVersions'>): readonly string[] {
  return apiVersions ?? (apiVersion === undefined ? [] : [apiVersion]);
}
