import type { Finding } from '../finding.ts';
import type { ServedApis } from '../discover-apis.ts';
import { kindsOfCrds } from './kinds-of.ts';
import { type Manifest, manifestName } from './manifest.ts';

const check = 'apis';

/** Who serves what Kubernetes does not by itself. */
const makers: Readonly<Record<string, string>> = {
  'cert-manager.io': 'install cert-manager',
  'gateway.networking.k8s.io': 'install the CRDs of the Gateway API',
  'monitoring.coreos.com': 'install the Prometheus operator',
  'keda.sh': 'install KEDA',
  'autoscaling.k8s.io': 'install the vertical pod autoscaler',
};

/** Is every kind served that the chart has objects of? */
export function checkApis(manifests: readonly Manifest[], served: ServedApis): readonly Finding[] {
  const own = kindsOfCrds(manifests);
  const missing = new Map<string, string[]>();
  for (const manifest of manifests) {
    const { apiVersion, kind } = manifest;
    // Its own kinds are looked at by the check of the CRDs.
    if (apiVersion.startsWith('haproxy-haptic.org/')) continue;
    const key = `${kind} of ${apiVersion}`;
    if (served.get(apiVersion)?.has(kind) === true || own.has(`${apiVersion} ${kind}`)) continue;
    missing.set(key, [...(missing.get(key) ?? []), manifestName(manifest)]);
  }
  if (missing.size === 0)
    return [
      { check, status: 'ok', message: `the cluster serves every kind of the ${manifests.length} objects` },
    ];
  return [...missing].map(([key, names]): Finding => {
    const group = /of ([^/]+)\//.exec(key)?.[1] ?? '';
    const maker = makers[group];
    return {
      check,
      status: 'failed',
      message: `the cluster does not serve ${key}, of which is ${names.join(', ')}`,
      advice: `${maker === undefined ? 'install what serves it' : maker}, or switch off in the values what wants it`,
    };
  });
}
