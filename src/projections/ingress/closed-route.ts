import { closedBackend } from '../closed-backend.ts';
import type { IngressRoute } from './choose-route.ts';
import type { Claim } from './claim.ts';

/** A route that answers 503 to everybody. */
export function closedRoute({ group, match, path, owner, backendField }: Claim): IngressRoute {
  return { group, match, path, owner, backendField, backend: closedBackend, target: closedBackend };
}
