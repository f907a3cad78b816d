import { annotationPrefix } from './annotation-field.ts';
import { boolean } from './parsers/boolean.ts';
import { policyIndex } from './policy-index.ts';
import type { PolicyNeed } from './policy-need.ts';

/** Of a setting without what it needs: `needs haproxy-haptic.org/cors-enable: "true" beside it`. */
export function needWords({ anyOf, value, orOnService }: PolicyNeed): string {
  const ways = anyOf
    .flatMap((name) => policyIndex.byField.get(name)?.field ?? [])
    .map((field) => {
      const wanted = value ?? (field.parse === boolean ? 'true' : undefined);
      return `${annotationPrefix}${field.key}${wanted === undefined ? '' : `: "${wanted}"`}`;
    });
  return `needs ${ways.join(' or ')} beside it${orOnService ? ', or on its Service' : ''}`;
}
