import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import type { Policy } from '../model.ts';
import { canaryOf } from './canary.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyIndex } from './policy-index.ts';
import { policyShape } from './policy-shape.ts';
import { profileOf } from './profile-of.ts';
import { type ReadPolicy, readPolicy, type PolicyScope } from './read-policy.ts';
import type { RoutePolicy } from './route-policy.ts';
import { ruleOf } from './rule-of.ts';
import { serverSettings } from './server-settings.ts';

export interface Policies {
  /** By rule: what is said of requests, for maps. */
  readonly policies: Collection<Policy>;
  /** By key of the object. None for objects that say nothing. */
  readonly routePolicies: Collection<RoutePolicy>;
  /** All that an object says, by its key. */
  readonly settings: Collection<ObjectSettings>;
}

export interface ObjectSettings extends ReadPolicy {
  readonly owner: Owner;
}

/** What objects of one kind say of routes and backends by annotations. One changed value is one changed entry, and no route. */
export function createPolicies(
  graph: Graph,
  kind: string,
  objects: Collection<KubeObject>,
  scope: PolicyScope,
): Policies {
  const owner = (object: KubeObject): Owner => ownerOf(kind, object);
  const at = kind.toLowerCase();
  const read = graph.mapEntries(
    `${at}.settings`,
    objects,
    (object, _key, reader): ObjectSettings | undefined => {
      const policy = readPolicy(object, scope, reportFor(owner(object), reader));
      return policy && { ...policy, owner: owner(object) };
    },
    { ownerOf: owner },
  );
  const policies = graph.flatMapEntries(
    `${at}.policies`,
    read,
    ({ fields, owner: by }) => {
      const rule = ruleOf(by);
      return hasRule(fields) ? [[rule, { ...fields, rule, owner: by }] as const] : [];
    },
    { ownerOf: ({ owner: by }) => by },
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
  return { policies, routePolicies, settings: read };
}

function hasRule(fields: PolicyFields): boolean {
  return Object.keys(fields).some(
    (name) => policyIndex.byField.get(name as keyof PolicyFields)?.field.scope === 'route',
  );
}
