import { loadKubeConfig } from '../kube/kube-config.ts';
import { kubeTransport, type KubeTransport } from '../kube/kube-transport.ts';
import type { CliValues } from './cli-command.ts';
import type { kubeOptions } from './kube-options.ts';

/**
 * Connections to the API server that the flags name, closed with `resources`.
 *
 * @throws CodedError `HAPTIC_ERR_KUBE_CONFIG`
 */
export function openKube(
  { kubeconfig, context }: CliValues<typeof kubeOptions>,
  resources: AsyncDisposableStack,
): KubeTransport {
  const credentials = loadKubeConfig({
    ...(kubeconfig !== undefined && { kubeconfigPath: kubeconfig }),
    ...(context !== undefined && { context }),
  });
  const transport = kubeTransport(credentials);
  resources.defer(() => transport.close());
  return transport;
}
