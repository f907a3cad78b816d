import type { QuarantineState } from '../gate/quarantine-state.ts';
import { formatOwner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { JsonObject } from '../protocol/declared.ts';

const named = 5;

/** How many objects a configuration does not serve as they are written, for its status: counts, a condition, and the first names. */
export function objectsSummary(problems: readonly Problem[], { entries }: QuarantineState): JsonObject {
  const held = [...entries.values()]
    .filter(({ state }) => state === 'refused')
    .map(({ owner }) => formatOwner(owner))
    .sort();
  const withErrors = ownersOf(problems, 'error');
  const withWarnings = ownersOf(problems, 'warning');
  const sentences = [
    ...sentence('held back, since HAProxy refuses them', held),
    ...sentence('with errors', withErrors),
  ];
  const isServed = sentences.length === 0;
  return {
    quarantinedObjects: held.length,
    objectsWithErrors: withErrors.length,
    objectsWithWarnings: withWarnings.length,
    conditions: [
      {
        type: 'ObjectsServed',
        status: isServed ? 'True' : 'False',
        reason: isServed ? 'AllServed' : held.length > 0 ? 'ObjectsHeldBack' : 'ObjectsWithErrors',
        message: isServed ? 'All objects are served as they are written.' : sentences.join(' '),
      },
    ],
  };
}

function ownersOf(problems: readonly Problem[], severity: Problem['severity']): readonly string[] {
  return [
    ...new Set(
      problems.filter((problem) => problem.severity === severity).map(({ owner }) => formatOwner(owner)),
    ),
  ].sort();
}

function sentence(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > named ? ` and ${names.length - named} more` : '';
  return [`${names.length} ${what}: ${names.slice(0, named).join(', ')}${more}.`];
}
