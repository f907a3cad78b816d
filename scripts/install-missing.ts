/**
 * Why tests of the installed chart cannot run here; undefined when they can: `KUBECONFIG` names a cluster and `HAPTIC_IMAGE` an image that its nodes
 * have or can pull, or `HAPTIC_NODE_TOOLS` is a folder with `up DIR`, `down DIR` and `image`, which make both.
 */
export function installMissing(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (isSet(env['KUBECONFIG']))
    return isSet(env['HAPTIC_IMAGE'])
      ? undefined
      : 'HAPTIC_IMAGE does not say which image the cluster of KUBECONFIG shall run';
  if (isSet(env['HAPTIC_NODE_TOOLS'])) return undefined;
  return (
    env['HAPTIC_INSTALL_MISSING'] ??
    'neither KUBECONFIG nor HAPTIC_NODE_TOOLS says where a cluster with nodes is'
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
