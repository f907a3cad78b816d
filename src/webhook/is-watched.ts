import type { TemplateConfig } from '../api/template-config.ts';
import { watchSpecOf } from '../streams/watch-spec.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Whether an entry of `watchedResources` is about the request's kind. */
export function isWatched(request: AdmissionRequest, config: TemplateConfig): boolean {
  const { group, version, resource } = request;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return Object.entries(config.watchedResources).some(
    ([name, entry]) =>
      entry.resources === resource && watchSpecOf(name, entry, config).apiVersions.includes(apiVersion),
  );
}
