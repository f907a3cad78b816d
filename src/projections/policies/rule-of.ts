import type { Owner } from '../../lib/owner.ts';

/** Under which maps have what an object says of requests. No Kubernetes name contains `_`, so different objects have different rules. */
export function ruleOf({ namespace, name }: Owner): string {
  return `${namespace}_${name}`;
}
