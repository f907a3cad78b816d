import { isIP } from 'node:net';
import { hostAllowed } from '../../lib/http/host-allowed.ts';
import { kubernetesName } from '../kubernetes-name.ts';
import type { ExternalHost } from '../model.ts';
import type { Parsed } from '../parsed.ts';
import { showValue } from '../show-value.ts';
import type { ExternalNames } from './external-names.ts';
import { judgeAddress } from './judge-address.ts';

/** Where an ExternalName Service leads: a literal address, or a host that is resolved when requests come. */
export type ExternalTarget = { readonly address: string } | { readonly host: ExternalHost };

/**
 * `spec.externalName`. A name is absolute, as that of a CNAME record is: no search domain of HAProxy's pods is put behind it, since those are the namespaces
 * of others. Refused is what leads to HAProxy itself, to its machine, or past the borders of namespaces, unless it is allowed; what addresses a name has is
 * judged by HAProxy, at every request.
 */
export function parseExternalName(
  raw: unknown,
  { enabled, allowedNames, clusterDomain, rules }: ExternalNames,
): Parsed<ExternalTarget> {
  if (!enabled) return { fault: 'is not served (controller.externalNames.enabled)' };
  if (typeof raw !== 'string' || raw === '') return { fault: `must be a DNS name: ${showValue(raw)}` };
  const name = raw.toLowerCase().replace(/\.$/, '');
  if (isIP(name) !== 0 && !name.includes('%')) {
    const verdict = judgeAddress(rules, name);
    if (verdict === 'public' || verdict === 'allowed') return { value: { address: name } };
    return {
      fault: `${name} is no public address, and not allowed (controller.externalNames.allowedNetworks)`,
    };
  }
  if (!kubernetesName.domain(name) || /(^|\.)\d+$/.test(name)) {
    return { fault: `must be a DNS name: ${showValue(raw)}` };
  }
  const isTrusted = allowedNames.length > 0 && hostAllowed(name, allowedNames);
  if (isTrusted) return { value: { host: { name, isTrusted } } };
  const unless = 'and not allowed (controller.externalNames.allowedNames)';
  if (isBelow(name, 'localhost')) return { fault: `${name} is HAProxy itself, ${unless}` };
  if (!name.includes('.')) return { fault: `${name} is no full name, ${unless}` };
  if (isBelow(name, clusterDomain)) return { fault: `${name} is inside of the cluster, ${unless}` };
  return { value: { host: { name, isTrusted } } };
}

function isBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}
