import type { Problem } from '../../lib/problem.ts';
import type { DecisionVerdict } from '../../plan/baseline.ts';
import { diff } from '../../plan/diff.ts';
import type { Plan } from '../../protocol/plan.ts';
import { compareFiles, type CompareOptions, type FileChange } from './compare-files.ts';
import type { Side } from './side.ts';

/** What a change from one side to another does. */
export interface Comparison {
  readonly from: string;
  readonly to: string;
  readonly pod?: string;
  readonly test?: string;
  readonly verdict: DecisionVerdict;
  /** Why HAProxy reloads. */
  readonly reasons: readonly string[];
  /** What is true and harmless. */
  readonly notes: readonly string[];
  /** Runtime operations by kind; of a reload, those that can be run before it. */
  readonly operations: Readonly<Record<string, number>>;
  readonly files: readonly FileChange[];
  /** Files that somebody else changed on the pod. */
  readonly drifted: readonly string[];
  /** What is wrong with objects at the end of the change, and was not at its start. */
  readonly problems: readonly Problem[];
}

/** Compares two sides; that of the end has a plan. Pure. */
export function compareSides(
  from: Side,
  to: Side & { readonly plan: Plan },
  options: CompareOptions,
): Comparison {
  const decision = diff(to.plan, from.baseline);
  const { verdict, reasons } =
    decision.verdict === 'noop' && from.isTorn
      ? ({ verdict: 'reload', reasons: ['the pod runs something else than it holds'] } as const)
      : decision;
  const operations: Record<string, number> = {};
  for (const { kind } of [...decision.batches.flat(), ...decision.inPlace])
    operations[kind] = (operations[kind] ?? 0) + 1;
  const before = new Set(from.problems.map(identityOf));
  const test = to.test ?? from.test;
  return {
    from: from.name,
    to: to.name,
    ...(from.pod !== undefined && { pod: from.pod }),
    ...(test !== undefined && { test }),
    verdict,
    reasons,
    notes: decision.notes,
    operations,
    files: from.plan === undefined ? [] : compareFiles(from.plan, to.plan, options),
    drifted: from.drifted,
    problems: to.problems.filter((problem) => !before.has(identityOf(problem))),
  };
}

function identityOf(problem: Problem): string {
  return JSON.stringify(problem);
}
