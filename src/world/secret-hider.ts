import type { KubeObject } from '../api/kube-object.ts';
import { hideValues } from '../lib/hide-values.ts';
import { valuesOfSecret } from '../lib/values-of-secret.ts';

/** Of a value, in characters: what is longer is no argument on a line of the configuration. */
const longest = 4_096;
const pem = /^(?:-----BEGIN |LS0tLS1CRUdJTi)/;

/**
 * Takes values of Secrets out of words of HAProxy or a validator, which repeat what they do not understand. Keys and certificates are in
 * files, whose content is not repeated.
 *
 * @param secrets asked only where there are words
 */
export function secretHider(
  secrets: () => Iterable<KubeObject>,
): (texts: readonly string[]) => readonly string[] {
  const values = function* () {
    for (const secret of secrets())
      for (const value of valuesOfSecret(secret))
        if (value.length <= longest && !pem.test(value)) yield value;
  };
  return (texts) => {
    if (texts.every((text) => text === '')) return texts;
    // One pass over the values for all of them.
    return hideValues(texts.join('\u0000'), values()).split('\u0000');
  };
}
