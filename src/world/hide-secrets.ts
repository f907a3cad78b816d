import type { KubeObject } from '../api/kube-object.ts';
import type { Finding, Verdict } from '../gate/verdict.ts';
import { secretHider } from './secret-hider.ts';

/**
 * A verdict without values of Secrets: HAProxy repeats what it does not understand, and that may be a password that was printed into the
 * wrong place. Keys and certificates are in files, whose content it does not repeat.
 *
 * @param secrets asked only where there are words
 */
export function hideSecrets(verdict: Verdict, secrets: () => Iterable<KubeObject>): Verdict {
  const hide = secretHider(secrets);
  const hidden = (findings: readonly Finding[]): readonly Finding[] => {
    const messages = hide(findings.map(({ message }) => message));
    return findings.map((finding, index) => ({ ...finding, message: messages[index] ?? '' }));
  };
  switch (verdict.kind) {
    case 'accepted':
      return { ...verdict, warnings: hidden(verdict.warnings) };
    case 'refused':
      return { ...verdict, findings: hidden(verdict.findings), output: hide([verdict.output])[0] ?? '' };
    case 'unchecked':
      return { ...verdict, message: hide([verdict.message])[0] ?? '' };
  }
}
