import type { Collection, Graph } from '../../collections/types.ts';
import type { Mirror } from '../model.ts';
import type { ServiceWay } from './create-service-ways.ts';
import { ruleOf } from './rule-of.ts';

/** Where copies of requests go, by rule. */
export function createMirrors(graph: Graph, ways: Collection<ServiceWay>): Collection<Mirror> {
  return graph.flatMapEntries(
    'mirrors',
    ways,
    ({ backend, owner }) => {
      const rule = ruleOf(owner);
      return [[rule, { rule, backend, owner }] as const];
    },
    { ownerOf: ({ owner }) => owner },
  );
}
