import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { compareKeys } from '../../lib/ordered-map.ts';
import { formatOwner } from '../../lib/owner.ts';
import type { Owner } from '../../lib/owner.ts';
import { backendKey } from '../backend-key.ts';
import type { Passthrough } from '../model.ts';
import { ownerOf } from '../owner-of.ts';
import { annotationField } from '../policies/annotation-field.ts';
import type { RoutePolicy } from '../policies/route-policy.ts';
import { sharedOwner } from '../shared-owner.ts';
import type { IngressRoute } from './choose-route.ts';
import type { Claim } from './claim.ts';
import { compareClaims } from './compare-claims.ts';
import { parseIngress } from './parse-ingress.ts';

export interface PassthroughSources {
  readonly ingresses: Collection<KubeObject>;
  /** By `namespace/name` of the Ingress and of the Service. */
  readonly ingressPolicies: Collection<RoutePolicy>;
  readonly servicePolicies: Collection<RoutePolicy>;
  /** All claims to a host, by group. */
  readonly byGroup: Collection<readonly Claim[]>;
}

/** A host that is passed through, with what is needed to tell its owner about the backend it names. */
export type PassthroughRoute = Passthrough & Pick<IngressRoute, 'ref' | 'backendField'>;

/**
 * The hosts of Ingresses that have connections handed on as they are: to the Service of path `/`, else the default one. A host is passed through or looked into
 * as a whole, by the oldest object that names it; the others are told.
 */
export function createPassthroughs(
  graph: Graph,
  sources: PassthroughSources,
): {
  readonly passthroughs: Collection<PassthroughRoute>;
  /** Who has hosts handed on, by group, whether there is something to hand them to or not. */
  readonly passedBy: Collection<Claim>;
} {
  const { ingresses, ingressPolicies, servicePolicies, byGroup } = sources;
  const wanted = graph.mapEntries('ingress.passing', ingressPolicies, ({ passthrough, closed }) =>
    passthrough === true && !closed ? true : undefined,
  );
  const claims = graph.flatMapEntries(
    'ingress.passthrough-claims',
    wanted,
    (_wanted, key, reader) => {
      const ingress = reader.read(ingresses, key);
      if (ingress === undefined) return [];
      // What is malformed is told where routes are made of it.
      const found = parseIngress(ingress, () => undefined);
      const owner = ownerOf('Ingress', ingress);
      const roots = found.filter(
        ({ kind, match, path }) => kind !== 'any' && match !== 'exact' && path === '',
      );
      const field = annotationField('ssl-passthrough');
      const message = 'has an effect on rules with a host and on their path / (Prefix) alone';
      if (roots.length < found.length)
        reader.report({ severity: 'warning', reason: 'AnnotationWithoutEffect', field, message, owner });
      return roots.map((claim) => [`${claim.group} ${key} ${claim.position}`, claim] as const);
    },
    { reads: [ingresses], ownerOf: (_wanted, key) => ownerOfKey(key) },
  );
  const rivals = graph.groupEntriesBy('ingress.passthrough-rivals', claims, ({ group }) => group);
  const passedBy = graph.mapEntries(
    'ingress.passed-by',
    rivals,
    (group, host, reader): Claim | undefined => {
      const [winner] = [...group].sort(compareByObject);
      if (winner === undefined) return undefined;
      // An object that would hand on, and has nothing for this host to be handed on to, is no reason to prefer others that would.
      const all = [...(reader.read(byGroup, host) ?? [])]
        .filter(
          ({ owner }) =>
            reader.read(wanted, keyOf(owner)) !== true ||
            group.some((claim) => sameObject(claim.owner, owner)),
        )
        .sort(compareClaims);
      const [oldest] = all;
      const lost = (owner: Owner, field: string, by: Owner, what: string) => {
        if (sameObject(owner, by)) return;
        const message = `connections for host ${host} are ${what} by the older ${formatOwner(by)}`;
        reader.report({ severity: 'error', reason: 'ConflictLost', field, message, owner });
      };
      const field = annotationField('ssl-passthrough');
      if (oldest !== undefined && reader.read(wanted, keyOf(oldest.owner)) !== true) {
        for (const { owner } of group) lost(owner, field, oldest.owner, 'looked into');
        return undefined;
      }
      for (const claim of all) lost(claim.owner, claim.field, winner.owner, 'handed on');
      return winner;
    },
    { reads: [byGroup, wanted], ownerOf: sharedOwner },
  );
  const passthroughs = graph.mapEntries(
    'ingress.passthroughs',
    passedBy,
    ({ ref: to, owner, backendField }, host, reader): PassthroughRoute | undefined => {
      if (to === undefined) return undefined;
      const own = reader.read(ingressPolicies, keyOf(owner))?.server;
      const said = reader.read(servicePolicies, `${to.namespace}/${to.service}`);
      if (said?.closed === true) return undefined;
      const ofService = said?.server;
      const server = (own ?? ofService) && { ...own, ...ofService };
      const ref = { ...to, passthrough: true as const, ...(server && { server }) };
      return { group: host, backend: backendKey(ref), owner, ref, backendField };
    },
    { reads: [ingressPolicies, servicePolicies], ownerOf: ({ owner }) => owner },
  );
  return { passthroughs, passedBy };
}

/** The path goes before the default backend of the same object. */
function compareByObject(a: Claim, b: Claim): number {
  const objects =
    a.created - b.created ||
    compareKeys(a.owner.namespace, b.owner.namespace) ||
    compareKeys(a.owner.name, b.owner.name);
  return objects || Number(a.match === 'default') - Number(b.match === 'default');
}

function sameObject(a: Owner, b: Owner): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}

function keyOf({ namespace, name }: Owner): string {
  return `${namespace}/${name}`;
}

function ownerOfKey(key: string): Owner {
  const [namespace = '', name = ''] = key.split('/');
  return { kind: 'Ingress', namespace, name };
}
