import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { addressRules } from '../endpoints/address-rules.ts';
import { createBackendProjections } from '../endpoints/create-backend-projections.ts';
import { createResolvers } from '../endpoints/create-resolvers.ts';
import { createServiceFacts } from '../endpoints/create-service-facts.ts';
import type { ExternalNames } from '../endpoints/external-names.ts';
import type {
  Choice,
  MatchRule,
  Mirror,
  Host,
  Passthrough,
  Policy,
  Profile,
  Resolver,
  Route,
  RouteBackend,
  AuthRequest,
} from '../model.ts';
import { createPolicies } from '../policies/create-policies.ts';
import { boundCanaries } from '../policies/bound-canaries.ts';
import { boundProfiles } from '../policies/bound-profiles.ts';
import { keepUsed } from '../policies/keep-used.ts';
import { createRules } from '../policies/create-rules.ts';
import type { PolicyBounds } from '../policies/policy-bounds.ts';
import type { PolicyDefaults } from '../policies/policy-defaults.ts';
import { createProfiles } from '../policies/create-profiles.ts';
import { createAuthRequests } from '../policies/create-auth-requests.ts';
import { createMirrors } from '../policies/create-mirrors.ts';
import { createServiceWays } from '../policies/create-service-ways.ts';
import { createPolicySecrets, type PolicySecrets } from '../policies/create-policy-secrets.ts';
import type { HostOwner } from '../tls/host-owner.ts';
import type { SecretSource } from '../tls/secret-source.ts';
import { createChoices } from './create-choices.ts';
import { createClaims } from './create-claims.ts';
import { createSelectedIngresses } from './create-selected-ingresses.ts';
import type { IngressRoute } from './choose-route.ts';
import { createIngressRoutes } from './create-ingress-routes.ts';
import { createIngressHosts } from './create-ingress-hosts.ts';
import { createIngressTls } from './create-ingress-tls.ts';
import type { TlsUse } from '../tls/tls-use.ts';
import { createBackendRefs } from './create-backend-refs.ts';
import { createPassthroughs } from './create-passthroughs.ts';
import { createPublishedAddresses, type Publishing } from '../published-addresses.ts';
import { createBackendChecks } from './create-backend-checks.ts';
import { servicesOf } from './services-of.ts';
import { createIngressStatuses, type IngressStatus } from './create-ingress-statuses.ts';

export interface IngressSources {
  readonly ingresses: Collection<KubeObject>;
  readonly ingressClasses: Collection<KubeObject>;
  /** Keyed `namespace/name`. */
  readonly services: Collection<KubeObject>;
  readonly endpointslices: Collection<KubeObject>;
  /** Default: there are none. */
  readonly secrets?: SecretSource;
}

export interface IngressOptions {
  /** `spec.controller` of the IngressClasses that are served. Default `haproxy-haptic.org/controller`. */
  readonly controller?: string;
  /** Profile of the backends. Default `haptic-http`, which the base library always renders. */
  readonly profile?: string;
  /** Default: nothing is published. */
  readonly publishing?: Publishing;
  /** Default: names outside of the cluster that resolve to public addresses. */
  readonly externalNames?: ExternalNames;
  /** Zone of HAProxy, by which endpoints are chosen. Default: none is. */
  readonly zone?: string;
  /**
   * Whether HAProxy takes new backends at runtime. What the ports of Services say that they speak is in the names of backends then, so that another word moves
   * requests to another backend in place of a reload. Default: no.
   */
  readonly movesBackends?: boolean;
  /** Whether annotations in HAProxy's own language are taken. Default: no. */
  readonly snippetAnnotations?: boolean;
  /** Default: none. */
  readonly policyBounds?: PolicyBounds;
  /** Default: nothing of it. */
  readonly policyDefaults?: PolicyDefaults;
}

export interface IngressProjections extends Omit<PolicySecrets, 'identities'> {
  /** By group. */
  readonly hosts: Collection<Host>;
  /** By `<group> <match> <path>`. */
  readonly routes: Collection<Route>;
  /** By key: what decides where requests go that may go to several backends. */
  readonly choices: Collection<Choice>;
  /** In the order in which they count. */
  readonly matchRules: Collection<MatchRule>;
  /** By proxy name. */
  readonly backends: Collection<RouteBackend>;
  /** By name: those that backends have, but for the base library's own. */
  readonly profiles: Collection<Profile>;
  /** By name: one where a profile needs it. */
  readonly resolvers: Collection<Resolver>;
  /** By rule. */
  readonly policies: Collection<Policy>;
  /** By rule. */
  readonly authRequests: Collection<AuthRequest>;
  /** By rule. */
  readonly mirrors: Collection<Mirror>;
  /** By `namespace/name` of the Ingress. */
  readonly ingressStatuses: Collection<IngressStatus>;
  /** By host or wildcard. */
  readonly passthroughs: Collection<Passthrough>;
  /** By group. */
  readonly hostOwners: Collection<HostOwner>;
  /** What is said of certificates, see `createTlsProjections`; by key of the Ingress and place in it. */
  readonly tlsUses: Collection<TlsUse>;
}

/**
 * Ingress, IngressClass, Service and EndpointSlice objects → hosts, routes and backends, as a chain of small collections:
 * selected Ingresses → claims and policies → routes (conflicts decided) → referenced Service ports → backends and their profiles. Problems are reported
 * to the objects they are about; nothing malformed hides what is well-formed.
 */
export function createIngressProjections(
  graph: Graph,
  { ingresses, ingressClasses, services, endpointslices, ...given }: IngressSources,
  options: IngressOptions = {},
): IngressProjections {
  const {
    controller = 'haproxy-haptic.org/controller',
    profile = 'haptic-http',
    publishing = { addresses: [] },
    externalNames = publicNames,
    zone,
    movesBackends = false,
    snippetAnnotations: snippets = false,
    policyBounds: bounds = { profiles: Infinity, matches: Infinity },
    policyDefaults: defaults = { hsts: false, sslRedirect: false },
  } = options;
  const selected = createSelectedIngresses(graph, ingresses, ingressClasses, controller);
  const said = { snippets, defaults };
  const { routePolicies: servicePolicies, settings: ofServices } = createPolicies(
    graph,
    'Service',
    services,
    { ...said, scopes: ['backend'] },
  );
  const { routePolicies: ingressPolicies, settings } = createPolicies(
    graph,
    'Ingress',
    selected,
    { ...said, scopes: ['route', 'backend', 'host'] },
    { settings: ofServices, servicesOf },
  );
  const policies = createRules(graph, settings);
  const claims = createClaims(graph, selected, settings);
  const { hosts, owners: hostOwners, byGroup } = createIngressHosts(graph, claims);
  const serviceFacts = createServiceFacts(graph, services, { externalNames, movesBackends });
  const { passthroughs, passedBy } = createPassthroughs(graph, {
    ingresses: selected,
    ...{ ingressPolicies, servicePolicies, byGroup },
  });
  const routes = createIngressRoutes(graph, {
    ...{ claims, byGroup, passedBy },
    ...{ ingressPolicies, servicePolicies, serviceFacts },
  });
  const { choices, matchRules, candidates } = createChoices(
    graph,
    routes,
    boundCanaries(graph, settings, selected, bounds.matches),
  );
  const waySources = { settings, servicePolicies, serviceFacts };
  const authWays = createServiceWays(graph, waySources, {
    key: 'auth-url',
    of: ({ authUrl }) => authUrl,
    otherwise: 'nobody is let in',
  });
  const mirrorWays = createServiceWays(graph, waySources, {
    key: 'mirror-target',
    of: ({ mirrorTarget }) => mirrorTarget,
    otherwise: 'it gets no copies',
  });
  const ways = graph.unionEntries<Pick<IngressRoute, 'ref' | 'backend' | 'owner'>>(
    'ingress.ways',
    ...[routes, candidates, passthroughs, authWays, mirrorWays],
  );
  const refs = boundProfiles(graph, ways, createBackendRefs(graph, ways), selected, bounds.profiles);
  const secrets = given.secrets ?? { secrets: graph.source<KubeObject>('no secrets') };
  const { identities, ...ofSecrets } = createPolicySecrets(
    graph,
    { ingress: settings, service: ofServices },
    secrets,
  );
  const { ports, backends } = createBackendProjections(
    graph,
    { refs, services, endpointslices, secrets: { trust: ofSecrets.trust, identities } },
    { plainProfile: profile, externalNames, ...(zone !== undefined && { zone }) },
  );
  const profiles = createProfiles(graph, refs);
  const resolvers = createResolvers(graph, profiles, externalNames.rules);
  for (const wanted of [routes, candidates, passthroughs, authWays, mirrorWays])
    createBackendChecks(graph, wanted, ports);
  const mirrors = createMirrors(graph, mirrorWays);
  const authRequests = createAuthRequests(graph, settings, authWays);
  const addresses = createPublishedAddresses(graph, services, publishing);
  const ingressStatuses = createIngressStatuses(graph, selected, addresses);
  const tlsUses = createIngressTls(graph, selected, settings);
  return {
    hosts,
    hostOwners,
    routes,
    choices,
    matchRules,
    passthroughs,
    backends,
    profiles,
    policies,
    resolvers,
    authRequests,
    mirrors,
    ...ofSecrets,
    ...keepUsed(graph, profiles, ofSecrets),
    ingressStatuses,
    tlsUses,
  };
}

const publicNames: ExternalNames = {
  enabled: true,
  allowedNames: [],
  clusterDomain: 'cluster.local',
  rules: addressRules([]),
};
