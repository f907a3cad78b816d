import { kubernetesName } from '../../kubernetes-name.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** The name of an object in the same namespace. */
export function objectName(text: string): Parsed<string> {
  const name = text.trim();
  if (kubernetesName.subdomain(name)) return { value: name };
  return { fault: `must be the name of an object in the same namespace: ${showValue(text)}` };
}
