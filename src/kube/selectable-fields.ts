/** Every API server selects any kind by these. */
const everywhere = ['metadata.name', 'metadata.namespace'];

/** What API servers of all supported releases select built-in kinds by besides (`pkg/apis/*\/*\/conversion.go`). */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  'v1 events': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'reason',
    'type',
  ],
  'v1 namespaces': ['status.phase'],
  'v1 nodes': ['spec.unschedulable'],
  'v1 pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  'v1 secrets': ['type'],
};

/**
 * Whether every API server takes a `fieldSelector` on this field of a kind. A request with one that it does not take is refused
 * as a whole, so whatever is not known for sure has to be compared by the client.
 */
export function isSelectableField(apiVersion: string, resources: string, path: string): boolean {
  return everywhere.includes(path) || builtIn[`${apiVersion} ${resources}`]?.includes(path) === true;
}
