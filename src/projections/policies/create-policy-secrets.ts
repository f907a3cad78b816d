import type { Collection, Graph } from '../../collections/types.ts';
import type { JwtKey, ServerIdentity, TrustFile, UserList } from '../model.ts';
import { createServerIdentities } from '../tls/create-server-identities.ts';
import { createTrust, type TrustState } from '../tls/create-trust.ts';
import type { SecretSource } from '../tls/secret-source.ts';
import { createJwtKeys } from './create-jwt-keys.ts';
import type { ObjectSettings } from './create-policies.ts';
import { createTrustUses } from './create-trust-uses.ts';
import { createUserLists } from './create-user-lists.ts';

export interface PolicySecrets {
  /** The Secrets of authorities that can be used, by `namespace/name`. */
  readonly trust: Collection<TrustState>;
  /** By file. */
  readonly trustFiles: Collection<TrustFile>;
  readonly serverIdentities: Collection<ServerIdentity>;
  /** Certificates that servers can be shown, by file. */
  readonly identities: Collection<true>;
  /** By name. */
  readonly userLists: Collection<UserList>;
  readonly jwtKeys: Collection<JwtKey>;
}

/** What the Secrets have that settings of Ingresses and Services name: authorities, certificates, users and keys, each read once. */
export function createPolicySecrets(
  graph: Graph,
  said: Readonly<Record<'ingress' | 'service', Collection<ObjectSettings>>>,
  secrets: SecretSource,
): PolicySecrets {
  const ofIngresses = createTrustUses(graph, 'ingress', said.ingress);
  const ofServices = createTrustUses(graph, 'service', said.service);
  const { states: trust, trustFiles } = createTrust(
    graph,
    graph.unionEntries('trust.uses', ofIngresses.authorities, ofServices.authorities),
    secrets,
  );
  const { identities: serverIdentities, known: identities } = createServerIdentities(
    graph,
    graph.unionEntries('identities.uses', ofIngresses.identities, ofServices.identities),
    secrets,
  );
  const jwtKeys = createJwtKeys(graph, said.ingress, secrets);
  const userLists = createUserLists(graph, said.ingress, secrets);
  return { trust, trustFiles, serverIdentities, identities, userLists, jwtKeys };
}
