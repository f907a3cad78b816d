import { formatOwner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';

const most = 64;

/**
 * At most 64 problems of each owner, in the order in which they were reported, and one that counts the others and is as severe as the worst of them. Whoever writes an object decides
 * how much is wrong with it, and everybody waits for what is made of problems.
 */
export function boundProblems(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= most) return problems;
  const counts = new Map<string, number>();
  const kept: Problem[] = [];
  const omitted = new Map<
    string,
    { count: number; severity: Problem['severity']; owner: Problem['owner'] }
  >();
  for (const problem of problems) {
    const owner = formatOwner(problem.owner);
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    if (count <= most) {
      kept.push(problem);
      continue;
    }
    const rest = omitted.get(owner) ?? { count: 0, severity: 'warning', owner: problem.owner };
    if (problem.severity === 'error') rest.severity = 'error';
    rest.count += 1;
    omitted.set(owner, rest);
  }
  for (const { count, severity, owner } of omitted.values())
    kept.push({ severity, reason: 'MoreProblems', field: '', message: `has ${count} more problems`, owner });
  return kept;
}
