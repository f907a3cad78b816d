import type { Owner } from '../../lib/owner.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { JoinedPolicy } from '../policies/join-policies.ts';

/** A reference with what is said of the way to it; `by` is who routes there. */
export function joinedRef(
  ref: BackendRef,
  { profile, server, protocol, snippetBy }: Extract<JoinedPolicy, { kind: 'open' }>,
  by: Owner,
): BackendRef {
  const service: Owner = { kind: 'Service', namespace: ref.namespace, name: ref.service };
  return {
    ...ref,
    ...(profile && { profile }),
    ...(server && { server }),
    ...(protocol && { protocol }),
    ...(snippetBy && { snippetOf: snippetBy === 'route' ? by : service }),
  };
}
