import type { BackendRef } from './backend-ref.ts';

/**
 * Proxy name of a Service port: `<namespace>_<service>_<port>`. No Kubernetes name contains `_` and a port name is never
 * all digits, so different references have different names, and names without `_` are free for the base library.
 */
export function backendKey(ref: BackendRef): string {
  return `${ref.namespace}_${ref.service}_${ref.port}`;
}
