import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type KubeClient, kubeClient } from '../../../src/kube/kube-client.ts';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';
import { type KubeTransport, kubeTransport } from '../../../src/kube/kube-transport.ts';
import type { ResourceRef } from '../../../src/kube/resource-path.ts';
import { type RouteSpec, endpointSliceOf, ingressOf, serviceOf } from './route-objects.ts';

export interface ClusterClient {
  readonly kube: KubeClient;
  readonly transport: KubeTransport;
  create(object: KubeObject): Promise<void>;
  /** PUT without a resourceVersion: the newest write wins. */
  replace(object: KubeObject): Promise<void>;
  remove(object: KubeObject): Promise<void>;
  /** Service, EndpointSlice and Ingress of every route, `concurrency` requests at a time. */
  createRoutes(routes: readonly RouteSpec[], concurrency: number): Promise<void>;
}

const plurals: Readonly<Record<string, string>> = {
  Ingress: 'ingresses',
  IngressClass: 'ingressclasses',
  Service: 'services',
  EndpointSlice: 'endpointslices',
  Namespace: 'namespaces',
  Secret: 'secrets',
};

export function clusterClient(kubeconfigPath: string): ClusterClient {
  const transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
  const kube = kubeClient(transport);
  const must = async (what: 'create' | 'replace', object: KubeObject): Promise<void> => {
    const result = await kube[what](refOf(object), object);
    if (!result.ok)
      throw new Error(`${what} ${object.kind} ${object.metadata.name}: ${JSON.stringify(result.failure)}`);
  };
  return {
    kube,
    transport,
    create: async (object) => must('create', object),
    replace: async (object) => must('replace', object),
    remove: async (object) => {
      const result = await kube.delete(refOf(object), object.metadata.name);
      if (!result.ok)
        throw new Error(`delete ${object.kind} ${object.metadata.name}: ${JSON.stringify(result.failure)}`);
    },
    createRoutes: async (routes, concurrency) => {
      const objects = routes.flatMap((route) => [serviceOf(route), endpointSliceOf(route), ingressOf(route)]);
      const pending = objects.values();
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          for (const object of pending) await must('create', object);
        }),
      );
    },
  };
}

function refOf(object: KubeObject): ResourceRef {
  const resources = plurals[object.kind ?? ''];
  if (resources === undefined) throw new Error(`no plural for ${object.kind}`);
  const { namespace } = object.metadata;
  return {
    apiVersion: object.apiVersion ?? '',
    resources,
    ...(namespace === undefined ? {} : { namespace }),
  };
}
