import type { KubeObject } from '../api/kube-object.ts';
import type { Finding, Verdict } from '../gate/verdict.ts';
import { hideValues } from '../lib/hide-values.ts';
import { valuesOfSecret } from '../lib/values-of-secret.ts';

/** Of a value, in characters: what is longer is no argument on a line of the configuration. */
const longest = 4_096;
const pem = /^(?:-----BEGIN |LS0tLS1CRUdJTi)/;

/**
 * A verdict without values of Secrets: HAProxy repeats what it does not understand, and that may be a password that was printed into the
 * wrong place. Keys and certificates are in files, whose content it does not repeat.
 *
 * @param secrets asked only where there are words
 */
export function hideSecrets(verdict: Verdict, secrets: () => Iterable<KubeObject>): Verdict {
  const values = function* () {
    for (const secret of secrets())
      for (const value of valuesOfSecret(secret))
        if (value.length <= longest && !pem.test(value)) yield value;
  };
  const hide = (text: string): string => (text === '' ? text : hideValues(text, values()));
  const hidden = (findings: readonly Finding[]): readonly Finding[] => {
    if (findings.length === 0) return findings;
    // One pass over the values for all of them.
    const messages = hide(findings.map(({ message }) => message).join('\u0000')).split('\u0000');
    return findings.map((finding, index) => ({ ...finding, message: messages[index] ?? '' }));
  };
  switch (verdict.kind) {
    case 'accepted':
      return { ...verdict, warnings: hidden(verdict.warnings) };
    case 'refused':
      return { ...verdict, findings: hidden(verdict.findings), output: hide(verdict.output) };
    case 'unchecked':
      return { ...verdict, message: hide(verdict.message) };
  }
}
