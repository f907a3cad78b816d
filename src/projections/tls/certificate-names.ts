import type { X509Certificate } from 'node:crypto';
import { parseHost } from '../parse-host.ts';

/** The host names and one-label wildcards that a certificate is for, in lower case: its alternative names, without any its common name. */
export function certificateNames({ subjectAltName = '', subject }: X509Certificate): readonly string[] {
  // Node quotes a name that has a comma, a quote or a line break in it; such a name is no host.
  const alternative = [...subjectAltName.matchAll(/(?:^|, )DNS:([^",]*)(?=,|$)/g)];
  const common = subjectAltName === '' ? [...subject.matchAll(/^CN=(.+)$/gm)] : [];
  const names = [...alternative, ...common].flatMap(([, name]) => {
    const host = parseHost(name);
    return 'value' in host && host.value.kind !== 'any' ? [host.value.group] : [];
  });
  return [...new Set(names)];
}
