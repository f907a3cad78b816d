import { kubernetesName } from '../../kubernetes-name.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/**
 * A Secret of the object's own namespace, which may be written in front of it: what is in those of others is none of its business. Where the namespace is not known, a
 * name alone.
 */
export function secretName(text: string, namespace?: string): Parsed<string> {
  const written = text.trim();
  const own = namespace === undefined ? undefined : `${namespace}/`;
  const name = own !== undefined && written.startsWith(own) ? written.slice(own.length) : written;
  if (kubernetesName.subdomain(name)) return { value: name };
  return { fault: `must be the name of a Secret in the same namespace, not ${showValue(text)}` };
}
