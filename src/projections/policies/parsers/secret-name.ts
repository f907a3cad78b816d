import { kubernetesName } from '../../kubernetes-name.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** A Secret of the object's own namespace: what is in those of others is none of its business. */
export function secretName(text: string): Parsed<string> {
  const name = text.trim();
  if (kubernetesName.subdomain(name)) return { value: name };
  return { fault: `must be the name of a Secret in the same namespace, not ${showValue(text)}` };
}
