import type { Collection, Graph } from '../../collections/types.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ObjectSettings } from './create-policies.ts';
import { canaryOf, type CanaryMatch } from './canary.ts';
import { ageOf, createBound } from './create-bound.ts';

/** Under what key `boundCanaries` has what canaries of a namespace go by. */
export function matchKey(namespace: string, { kind, name }: Pick<CanaryMatch, 'kind' | 'name'>): string {
  return `${namespace} ${kind} ${name}`;
}

/** What canaries of a namespace may not go by, as others that are older go by as many headers and cookies as there may be. */
export function boundCanaries(
  graph: Graph,
  settings: Collection<ObjectSettings>,
  ingresses: Collection<KubeObject>,
  most: number,
): Collection<true> {
  const wants = graph.flatMapEntries(
    'bounds.matches',
    settings,
    ({ fields, owner }, key, reader) => {
      const { matches = [] } = canaryOf(fields) ?? {};
      const whats = new Set(matches.map(({ kind, name }) => `${kind} ${name}`));
      if (whats.size === 0) return [];
      const { namespace } = owner;
      const age = ageOf(reader.read(ingresses, key), owner);
      return [...whats].map((what) => [`${age} ${what}`, { namespace, what, owner, age }] as const);
    },
    { reads: [ingresses], ownerOf: ({ owner }) => owner },
  );
  const over = createBound(graph, wants, most);
  graph.mapEntries(
    'bounds.matches.checks',
    wants,
    ({ namespace, what, owner }, _key, reader) => {
      if (reader.read(over, `${namespace} ${what}`) !== true) return true;
      reader.report({
        severity: 'error',
        reason: 'PoliciesOverBound',
        field: 'metadata.annotations',
        message: `namespace ${namespace} has canaries by more than ${most} headers and cookies (controller.policyBounds.matches), and older objects go first: it gets no requests by them`,
        owner,
      });
      return false;
    },
    { reads: [over], ownerOf: ({ owner }) => owner },
  );
  return over;
}
