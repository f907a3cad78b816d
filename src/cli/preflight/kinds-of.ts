import type { ServedKind } from '../../kube/served-resources.ts';
import type { ResourceRef } from '../../kube/resource-path.ts';
import type { ServedApis } from '../discover-apis.ts';
import { record, records } from '../fields.ts';
import type { Manifest } from './manifest.ts';

/** Where an object is, or is to be, in the API. */
export interface Placed {
  readonly manifest: Manifest;
  readonly ref: ResourceRef;
  readonly group: string;
}

/** Where the objects go: what the cluster serves, and what CRDs among them will. Objects of other kinds are left out. */
export function placedObjects(
  manifests: readonly Manifest[],
  served: ServedApis,
  namespace: string,
): readonly Placed[] {
  const own = kindsOfCrds(manifests);
  return manifests.flatMap((manifest) => {
    const { apiVersion, kind, metadata } = manifest;
    const found = served.get(apiVersion)?.get(kind) ?? own.get(`${apiVersion} ${kind}`);
    if (found === undefined) return [];
    const where = found.namespaced ? { namespace: metadata.namespace ?? namespace } : {};
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    return [{ manifest, group, ref: { apiVersion, resources: found.resources, ...where } }];
  });
}

/** Kinds that CustomResourceDefinitions define, by `apiVersion kind`. */
export function kindsOfCrds(manifests: readonly Manifest[]): ReadonlyMap<string, ServedKind> {
  return new Map(
    manifests.flatMap(({ kind, spec }) => {
      if (kind !== 'CustomResourceDefinition') return [];
      const { group, names, scope, versions } = record(spec);
      const { kind: defined, plural } = record(names);
      return records(versions).map(
        ({ name }) =>
          [
            `${String(group)}/${String(name)} ${String(defined)}`,
            { resources: String(plural), namespaced: scope === 'Namespaced' },
          ] as const,
      );
    }),
  );
}
