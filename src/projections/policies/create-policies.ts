import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import { canaryOf } from './canary.ts';
import { hasRule } from './has-rule.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyShape } from './policy-shape.ts';
import { profileOf } from './profile-of.ts';
import { type ReadPolicy, readPolicy, type PolicyScope } from './read-policy.ts';
import type { RoutePolicy } from './route-policy.ts';
import { ruleOf } from './rule-of.ts';
import { serverSettings } from './server-settings.ts';

export interface Policies {
  /** By key of the object. None for objects that say nothing. */
  readonly routePolicies: Collection<RoutePolicy>;
  /** All that an object says, by its key. */
  readonly settings: Collection<ObjectSettings>;
}

export interface ObjectSettings extends ReadPolicy {
  readonly owner: Owner;
}

/** What may be said of backends on other objects, the Services that an object routes to. */
export interface BackendSettings {
  readonly settings: Collection<ObjectSettings>;
  /** Names of Services, of the object's own namespace. */
  readonly servicesOf: (object: KubeObject) => readonly string[];
}

/** What objects of one kind say of routes and backends by annotations. One changed value is one changed entry, and no route. */
export function createPolicies(
  graph: Graph,
  kind: string,
  objects: Collection<KubeObject>,
  scope: PolicyScope,
  backends?: BackendSettings,
): Policies {
  const owner = (object: KubeObject): Owner => ownerOf(kind, object);
  const at = kind.toLowerCase();
  const read = graph.mapEntries(
    `${at}.settings`,
    objects,
    (object, _key, reader): ObjectSettings | undefined => {
      const by = owner(object);
      const onServices = (name: keyof PolicyFields): readonly unknown[] =>
        backends?.servicesOf(object).map((service) => {
          const said = reader.read(backends.settings, `${by.namespace}/${service}`);
          return said?.fields[name];
        }) ?? [];
      const policy = readPolicy(object, scope, reportFor(by, reader), onServices);
      return policy && { ...policy, owner: by };
    },
    { ownerOf: owner, reads: backends === undefined ? [] : [backends.settings] },
  );
  const routePolicies = graph.mapEntries(
    `${at}.route-policies`,
    read,
    ({ fields, closed, owner: by }): RoutePolicy => {
      const profile = profileOf(policyShape(fields, by.namespace));
      const server = serverSettings(fields);
      const canary = canaryOf(fields);
      return {
        closed,
        ...(hasRule(fields) && { rule: ruleOf(by) }),
        ...(profile && { profile }),
        ...(server && { server }),
        ...(canary && { canary }),
        ...(fields.sslPassthrough === true && { passthrough: true as const }),
      };
    },
    { ownerOf: ({ owner: by }) => by },
  );
  return { routePolicies, settings: read };
}
