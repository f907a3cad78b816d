import type { PolicyFields } from './policy-fields.ts';
import { policyIndex } from './policy-index.ts';

/** Whether requests are spoken of, so that maps have something under the rule of whoever says it. */
export function hasRule(fields: PolicyFields): boolean {
  return Object.keys(fields).some(
    (name) => policyIndex.byField.get(name as keyof PolicyFields)?.field.scope === 'route',
  );
}
