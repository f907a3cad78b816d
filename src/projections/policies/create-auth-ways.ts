import type { Collection, Graph, Reader } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import { backendKey } from '../backend-key.ts';
import type { BackendRef } from '../backend-ref.ts';
import { annotationField } from './annotation-field.ts';
import type { ObjectSettings } from './create-policies.ts';
import { joinPolicies, type JoinedPolicy } from './join-policies.ts';
import type { PolicyShape } from './policy-shape.ts';
import type { RoutePolicy } from './route-policy.ts';

/** Where it is asked whether requests may pass. */
export interface AuthWay {
  readonly ref: BackendRef;
  readonly backend: string;
  readonly backendField: string;
  /** As clients in the cluster would write it. */
  readonly host: string;
  readonly owner: Owner;
}

export interface AuthWaySources {
  readonly settings: Collection<ObjectSettings>;
  readonly servicePolicies: Collection<RoutePolicy>;
  readonly serviceShapes: Collection<PolicyShape>;
}

/**
 * By key of the object: the way to the Service of its `auth-url`. None where it is not to be asked, so that nobody is let in: in another namespace, or with a
 * malformed policy of its own.
 */
export function createAuthWays(
  graph: Graph,
  { settings, servicePolicies, serviceShapes }: AuthWaySources,
): Collection<AuthWay> {
  return graph.mapEntries(
    'auth.ways',
    settings,
    ({ fields: { authUrl }, owner }, _key, reader): AuthWay | undefined => {
      if (authUrl === undefined) return undefined;
      const { namespace, service, port } = authUrl;
      if (namespace !== undefined && namespace !== owner.namespace) {
        reader.report({
          severity: 'error',
          reason: 'RefNotPermitted',
          field: annotationField('auth-url'),
          message: `Service ${namespace}/${service} is in another namespace: nobody is let in`,
          owner,
        });
        return undefined;
      }
      const policy = policyOf(reader, `${owner.namespace}/${service}`);
      if (policy.kind === 'closed') return undefined;
      const ref = {
        namespace: owner.namespace,
        service,
        port,
        ...(policy.profile && { profile: policy.profile }),
        ...(policy.server && { server: policy.server }),
      };
      return {
        ref,
        backend: backendKey(ref),
        backendField: annotationField('auth-url'),
        host: `${service}.${owner.namespace}.svc`,
        owner,
      };
    },
    { reads: [servicePolicies, serviceShapes], ownerOf: ({ owner }) => owner },
  );

  function policyOf(reader: Pick<Reader, 'read'>, service: string): JoinedPolicy {
    return joinPolicies(
      undefined,
      reader.read(servicePolicies, service),
      '',
      reader.read(serviceShapes, service),
    );
  }
}
