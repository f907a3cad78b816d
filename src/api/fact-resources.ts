/** Names in `watchedResources` from which routes and backends are made: of whole objects, so none can be stored on demand. */
export const factResources = ['ingresses', 'ingressclasses', 'services', 'endpointslices'] as const;

/** The name of that from which certificates are made: of the Secrets that are named and of no others, so it may be stored on demand. */
export const secretResource = 'secrets';
