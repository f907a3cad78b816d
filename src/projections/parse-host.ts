import { isIPv4 } from 'node:net';
import { kubernetesName } from './kubernetes-name.ts';
import type { Parsed } from './parsed.ts';
import { showValue } from './show-value.ts';

/** Which hosts of requests are meant. */
export interface HostMatch {
  /** Lower case, no port: `shop.example.com`; the wildcard's suffix for wildcards: `example.com`; empty for `any`. */
  readonly host: string;
  readonly kind: 'exact' | 'wildcard-one' | 'any';
  /** Name of the host group in path map keys: the host itself, `*.example.com`, or `*`. Contains no `/` and no white space. */
  readonly group: string;
}

const any: HostMatch = { host: '', kind: 'any', group: '*' };

/**
 * `spec.rules[].host`: a DNS name (RFC 1123, read case-insensitively, at most 253 characters, labels of at most 63), the
 * same below one whole wildcard label (`*.example.com`), or nothing, which means every host. Addresses are refused, as
 * Kubernetes does.
 */
export function parseHost(raw: unknown): Parsed<HostMatch> {
  if (raw === undefined || raw === null || raw === '') return { value: any };
  if (typeof raw !== 'string') return { fault: `must be a string, not ${showValue(raw)}` };
  const host = raw.toLowerCase();
  const wildcard = host.startsWith('*.');
  const name = wildcard ? host.slice(2) : host;
  if (host.length > 253) return { fault: `must have at most 253 characters, not ${host.length}` };
  if (!kubernetesName.domain(name)) {
    return { fault: `must be a DNS name, with "*." in front at most: ${showValue(raw)}` };
  }
  if (isIPv4(name)) return { fault: `must be a DNS name, not an address: ${showValue(raw)}` };
  return wildcard
    ? { value: { host: name, kind: 'wildcard-one', group: host } }
    : { value: { host, kind: 'exact', group: host } };
}
