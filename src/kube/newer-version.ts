import type { KubeObject } from '../api/kube-object.ts';
import { compareVersions } from '../lib/compare-versions.ts';
import { version } from '../lib/version.ts';

/** The version of the program that has applied a CRD, by its label `app.kubernetes.io/version`, if that is later than this one. */
export function newerVersion({ metadata }: KubeObject): string | undefined {
  const applied = metadata.labels?.['app.kubernetes.io/version'];
  return applied !== undefined && compareVersions(applied, version) > 0 ? applied : undefined;
}
