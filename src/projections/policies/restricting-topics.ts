import type { PolicyShape } from './policy-shape.ts';
import { policyTable } from './policy-table.ts';

const restricting = policyTable.filter(({ fields }) =>
  Object.values(fields).some((field) => field.restricting === true && field.shape !== 'server'),
);

/** Topics of a shape that keep requests out, or must not be missing for another reason. */
export function restrictingTopics(shape: PolicyShape): readonly string[] {
  return restricting.filter(({ name }) => shape[name] !== undefined).map(({ name }) => name);
}
