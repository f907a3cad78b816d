import { createHash } from 'node:crypto';
import { stableJson } from '../lib/stable-json.ts';
import type { BackendRef } from './backend-ref.ts';
import type { ServerSettings } from './policies/server-settings.ts';

/**
 * Proxy name of a Service port: `<namespace>_<service>_<port>`. No Kubernetes name contains `_` and a port name is never
 * all digits, so different references have different names, and names without `_` are free for the base library. A profile and settings of servers add their
 * digests, and the Service's port what it speaks: another one is another backend, so that on HAProxy 3.4 it comes beside the one in use.
 */
export function backendKey(ref: BackendRef): string {
  let name = `${ref.namespace}_${ref.service}_${ref.port}`;
  if (ref.passthrough === true) name += '_tcp';
  if (ref.protocol !== undefined) name += `_${ref.protocol}`;
  if (ref.profile !== undefined) name += `_${ref.profile.name.slice(-16)}`;
  if (ref.server !== undefined) name += `_s${digestOf(ref.server)}`;
  return name;
}

/** Strangers to each other may route to one Service: none may make up settings that are taken for another's. */
function digestOf(settings: ServerSettings): string {
  return createHash('sha256').update(stableJson(settings)).digest('hex').slice(0, 16);
}
