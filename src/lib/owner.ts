/**
 * The Kubernetes object (or template) that a fragment, line, map entry or file came from.
 * `namespace` is empty for cluster-scoped objects and for templates.
 */
export interface Owner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `Kind namespace/name`, the form used in logs, problems and plan reasons. */
export function formatOwner(owner: Owner): string {
  return owner.namespace === ''
    ? `${owner.kind} ${owner.name}`
    : `${owner.kind} ${owner.namespace}/${owner.name}`;
}
