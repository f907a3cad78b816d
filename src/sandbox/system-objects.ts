import type { KubeObject } from '../api/kube-object.ts';

export const systemNamespace = 'haptic';
/** Node of the pods that the stand-in runs as echo servers, and the one of the HAProxy pod. */
export const nodes = { echo: 'sandbox', haproxy: 'sandbox-haproxy' } as const;

/** Labels of the HAProxy pod, and the controller's `podSelector`. */
export const haproxyLabels = {
  'app.kubernetes.io/name': 'haptic',
  'app.kubernetes.io/component': 'loadbalancer',
} as const;

export const nodeStatus = { conditions: [{ type: 'Ready', status: 'True', reason: 'SandboxRuns' }] };

export function nodeRef(name: string) {
  return { apiVersion: 'v1', kind: 'Node', namespace: '', name };
}

/** What an installation brings into a cluster before anything of the user's is there. */
export const systemObjects: readonly KubeObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } },
  ...Object.values(nodes).map((name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  })),
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: {
      name: 'haptic',
      annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
    },
    spec: { controller: 'haproxy-haptic.org/controller' },
  },
];
