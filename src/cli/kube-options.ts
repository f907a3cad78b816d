/** How a command finds the cluster. */
export const kubeOptions = {
  kubeconfig: {
    value: 'FILE',
    summary: 'credentials',
    env: 'KUBECONFIG',
    otherwise: "the pod's service account, else ~/.kube/config",
  },
  context: { value: 'NAME', summary: 'context of the kubeconfig', otherwise: 'its current one' },
} as const;
