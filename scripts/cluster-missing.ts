/**
 * Why tests that need a real API server cannot run here; undefined when they can: a cluster is given by `KUBECONFIG`, or
 * `HAPTIC_CLUSTER_TOOLS` is a folder with `control-plane-up DIR PORT` and `control-plane-down DIR`.
 */
export function clusterMissing(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (isSet(env['KUBECONFIG']) || isSet(env['HAPTIC_CLUSTER_TOOLS'])) return undefined;
  return (
    env['HAPTIC_CLUSTER_MISSING'] ??
    'neither KUBECONFIG nor HAPTIC_CLUSTER_TOOLS says where a Kubernetes API server is'
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
