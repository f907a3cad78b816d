import type { KubeObject } from '../api/kube-object.ts';

export const sampleHost = 'echo.localhost';

const labels = { 'app.kubernetes.io/name': 'echo' };

/** What a new sandbox serves: a Deployment of two echo pods behind `http://echo.localhost/`. */
export const sampleObjects: readonly KubeObject[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name: 'echo', labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'echo', image: 'echo', ports: [{ name: 'http', containerPort: 5678 }] }],
          terminationGracePeriodSeconds: 2,
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'default', name: 'echo', labels },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { namespace: 'default', name: 'echo', labels },
    spec: {
      ingressClassName: 'haptic',
      rules: [
        {
          host: sampleHost,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'echo', port: { name: 'http' } } },
              },
            ],
          },
        },
      ],
    },
  },
];
