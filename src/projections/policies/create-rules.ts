import type { Collection, Graph } from '../../collections/types.ts';
import type { Policy } from '../model.ts';
import type { ObjectSettings } from './create-policies.ts';
import { hasRule } from './has-rule.ts';
import { ruleOf } from './rule-of.ts';

/** What is said of requests, for maps; by rule. */
export function createRules(graph: Graph, settings: Collection<ObjectSettings>): Collection<Policy> {
  return graph.flatMapEntries(
    'policies',
    settings,
    ({ fields, owner }) => {
      const rule = ruleOf(owner);
      return hasRule(fields) ? [[rule, { ...fields, rule, owner }] as const] : [];
    },
    { ownerOf: ({ owner }) => owner },
  );
}
