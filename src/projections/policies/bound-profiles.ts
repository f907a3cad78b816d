import type { Collection, Graph } from '../../collections/types.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { Owner } from '../../lib/owner.ts';
import { ageOf, createBound, type Want } from './create-bound.ts';
import { restrictingTopics } from './restricting-topics.ts';

interface Way {
  readonly ref?: BackendRef;
  readonly owner: Owner;
}

interface ProfileWant extends Want {
  readonly closes: boolean;
}

/**
 * The backends that are wanted, by key, within what a namespace may have: one whose profile is too much has the base library's own, and no servers where its own profile
 * restricts. Whoever leads there is told.
 *
 * @param refs of `ways`
 */
export function boundProfiles(
  graph: Graph,
  ways: Collection<Way>,
  refs: Collection<BackendRef>,
  ingresses: Collection<KubeObject>,
  most: number,
): Collection<BackendRef> {
  const wants = graph.flatMapEntries(
    'bounds.profiles',
    ways,
    ({ ref, owner }, key, reader): readonly (readonly [string, ProfileWant])[] => {
      if (ref?.profile === undefined) return [];
      const age = ageOf(reader.read(ingresses, `${owner.namespace}/${owner.name}`), owner);
      const { name, shape } = ref.profile;
      const closes = mustNotMiss(shape);
      return [[`${age} ${key}`, { namespace: ref.namespace, what: name, owner, age, closes }]];
    },
    { reads: [ingresses], ownerOf: ({ owner }) => owner },
  );
  const over = createBound(graph, wants, most);
  graph.mapEntries(
    'bounds.profiles.checks',
    wants,
    ({ namespace, what, owner, closes }, _key, reader) => {
      if (reader.read(over, `${namespace} ${what}`) !== true) return true;
      reader.report({
        severity: 'error',
        reason: 'PoliciesOverBound',
        field: 'metadata.annotations',
        message: `namespace ${namespace} has more than ${most} combinations of settings (controller.policyBounds.profiles), and older objects go first: ${closes ? 'its routes are closed' : 'these have no effect'}`,
        owner,
      });
      return false;
    },
    { reads: [over], ownerOf: ({ owner }) => owner },
  );
  return graph.mapEntries(
    'bounds.backend-refs',
    refs,
    (ref, _key, reader): BackendRef => {
      const { profile, ...plain } = ref;
      if (profile === undefined || reader.read(over, `${ref.namespace} ${profile.name}`) !== true) return ref;
      return mustNotMiss(profile.shape) ? { ...plain, closed: true } : plain;
    },
    {
      reads: [over],
      ownerOf: ({ namespace, service }) => ({ kind: 'Service', namespace, name: service }),
    },
  );
}

function mustNotMiss(shape: Parameters<typeof restrictingTopics>[0]): boolean {
  return restrictingTopics(shape).length > 0;
}
