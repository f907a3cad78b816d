import type { Collection, Graph, Reader } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import { backendKey } from '../backend-key.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { ServiceFacts } from '../endpoints/service-facts.ts';
import type { ServerSettings } from './server-settings.ts';
import { annotationField } from './annotation-field.ts';
import type { ObjectSettings } from './create-policies.ts';
import type { AuthUrl } from './parsers/auth-url.ts';
import type { PolicyFields } from './policy-fields.ts';
import { joinPolicies, type JoinedPolicy } from './join-policies.ts';
import type { RoutePolicy } from './route-policy.ts';

/** A Service that an object's annotation names. */
export interface ServiceWay {
  readonly ref: BackendRef;
  readonly backend: string;
  /** The annotation. */
  readonly backendField: string;
  /** What follows where it is not to be asked. */
  readonly otherwise: string;
  /** As clients in the cluster would write it. */
  readonly host: string;
  readonly owner: Owner;
}

/** Which annotation it is. */
export interface WayTarget {
  readonly key: string;
  readonly of: (fields: PolicyFields) => AuthUrl | undefined;
  /** What follows where it is not to be asked. */
  readonly otherwise: string;
}

export interface ServiceWaySources {
  readonly settings: Collection<ObjectSettings>;
  readonly servicePolicies: Collection<RoutePolicy>;
  readonly serviceFacts: Collection<ServiceFacts>;
}

/** By key of the object and the annotation, with a blank between them: the way to the Service that it names. None where it is not to be asked: in another namespace, or with a malformed policy of its own. */
export function createServiceWays(
  graph: Graph,
  { settings, servicePolicies, serviceFacts }: ServiceWaySources,
  { key, of, otherwise }: WayTarget,
): Collection<ServiceWay> {
  return graph.flatMapEntries(
    `ways.${key}`,
    settings,
    ({ fields, owner }, object, reader) => {
      const target = of(fields);
      if (target === undefined) return [];
      const { namespace, service, port } = target;
      if (namespace !== undefined && namespace !== owner.namespace) {
        reader.report({
          severity: 'error',
          reason: 'RefNotPermitted',
          field: annotationField(key),
          message: `Service ${namespace}/${service} is in another namespace than the ${owner.kind}, ${owner.namespace}: ${otherwise}`,
          owner,
        });
        return [];
      }
      const policy = policyOf(reader, `${owner.namespace}/${service}`, port);
      if (policy.kind === 'closed') return [];
      const ref = {
        namespace: owner.namespace,
        service,
        port,
        ...(policy.profile && { profile: policy.profile }),
        ...(policy.server && { server: uncached(policy.server) }),
        ...(policy.protocol && { protocol: policy.protocol }),
      };
      const way: ServiceWay = {
        ref,
        backend: backendKey(ref),
        backendField: annotationField(key),
        otherwise,
        host: `${service}.${owner.namespace}.svc`,
        owner,
      };
      return [[`${object} ${key}`, way] as const];
    },
    { reads: [servicePolicies, serviceFacts], ownerOf: ({ owner }) => owner },
  );

  function policyOf(reader: Pick<Reader, 'read'>, service: string, port: AuthUrl['port']): JoinedPolicy {
    return joinPolicies(
      undefined,
      reader.read(servicePolicies, service),
      { path: '', port },
      reader.read(serviceFacts, service),
    );
  }
}

/** What HAProxy asks by itself is asked of the server each time. */
function uncached(settings: ServerSettings): ServerSettings {
  return settings.cache === true ? { ...settings, cache: false } : settings;
}
