import { type EndpointSlice, isTerminating, type Pod, type Service } from './kinds.ts';
import { matchesLabels } from './matches-labels.ts';
import { cacheObjects, keyOf } from './object-cache.ts';
import { type ObjectClient, refOf } from './object-client.ts';
import { planEndpointSlices, slicesManagedBy } from './plan-endpoint-slices.ts';
import { createWorkQueue } from './work-queue.ts';

export interface ServiceEndpoints {
  readonly stop: () => Promise<void>;
}

/** The EndpointSlice controller: every Service with a selector has slices that show its pods. Others' slices are left alone. */
export function runServiceEndpoints(options: {
  readonly client: ObjectClient;
  readonly onError: (what: string, error: unknown) => void;
}): ServiceEndpoints {
  const { client } = options;
  const queue = createWorkQueue({
    work: sync,
    onError: (key, error) => options.onError(`Service ${key}`, error),
  });
  const services = cacheObjects<Service>(client, 'v1', 'Service', ({ object }) => queue.add(keyOf(object)));
  const slices = cacheObjects<EndpointSlice>(client, 'discovery.k8s.io/v1', 'EndpointSlice', ({ object }) => {
    const service = serviceOf(object);
    if (service !== undefined) queue.add(`${object.metadata.namespace ?? ''}/${service}`);
  });
  const pods = cacheObjects<Pod>(client, 'v1', 'Pod', ({ object }, before) => {
    for (const service of services.inNamespace(object.metadata.namespace ?? '')) {
      const { selector } = service.spec;
      if (matchesLabels(selector, object.metadata.labels) || matchesLabels(selector, before?.metadata.labels))
        queue.add(keyOf(service));
    }
  });

  async function sync(key: string): Promise<void> {
    const service = services.get(key);
    if (service === undefined || isTerminating(service)) return;
    const { namespace = '', name } = service.metadata;
    const own = slices.inNamespace(namespace).filter((slice) => serviceOf(slice) === name);
    const { selector } = service.spec;
    const hasSelector = Object.keys(selector ?? {}).length > 0 && service.spec.type !== 'ExternalName';
    const picked = pods.inNamespace(namespace).filter((pod) => matchesLabels(selector, pod.metadata.labels));
    const plan = hasSelector
      ? planEndpointSlices(service, picked, own)
      : { create: [], update: [], remove: own };
    // What is new is shown before what is old is taken away, so that no reader sees a gap.
    for (const slice of plan.create) await client.create(slice);
    for (const slice of plan.update) await client.merge(refOf(slice), { endpoints: slice.endpoints });
    for (const slice of plan.remove) await client.remove(refOf(slice));
  }

  return {
    stop: async () => {
      for (const cache of [services, slices, pods]) cache.stop();
      await queue.stop();
    },
  };
}

/** Name of the Service that one of this controller's slices belongs to. */
function serviceOf(slice: EndpointSlice): string | undefined {
  const labels = slice.metadata.labels ?? {};
  return labels['endpointslice.kubernetes.io/managed-by'] === slicesManagedBy
    ? labels['kubernetes.io/service-name']
    : undefined;
}
