import type { RetainedConfig } from '../../protocol/retained-config.ts';

/** Whatever pods are on: a status is no place for more. */
const most = 8;

/**
 * Which of the retained renders are kept, newest first: the newest, its predecessor, and those that pods are on.
 *
 * @param known newest first
 * @param podPlans renders that pods hold or run
 */
export function keptCheckpoints(
  known: readonly RetainedConfig[],
  podPlans: ReadonlySet<string>,
): readonly RetainedConfig[] {
  const unique = known.filter(
    (config, index) => known.findIndex(({ name }) => name === config.name) === index,
  );
  return unique.filter(({ planID }, index) => index < 2 || podPlans.has(planID)).slice(0, most);
}
