/** Names in `watchedResources` from which routes and backends are made: of whole objects, so none can be stored on demand. */
export const factResources = ['ingresses', 'ingressclasses', 'services', 'endpointslices'] as const;
