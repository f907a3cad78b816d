import type { BackendRef } from '../backend-ref.ts';
import { basicAuth } from '../policies/topics/basic-auth.ts';
import { externalAuth } from '../policies/topics/external-auth.ts';
import { jwt } from '../policies/topics/jwt.ts';

const identifying = [basicAuth, externalAuth, jwt].map(({ name }) => name);

/**
 * Whether answers of a backend may be given to other clients: it is asked for, and no client is known by name to what is in front of the server, since servers cannot
 * know then that their answers are for one of them (RFC 9111, 3.5).
 */
export function mayCache({ server, profile, passthrough }: BackendRef): boolean {
  if (server?.cache !== true || passthrough === true) return false;
  return identifying.every((topic) => profile?.shape[topic] === undefined);
}
