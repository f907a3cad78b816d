import { digestValue } from '../../lib/digest.ts';

/** So many of the longest host names fit into one runtime command. */
const most = 32;

/**
 * The hosts of one certificate in groups small enough for an entry of a crt-list each. Which group a host is in depends on the host and
 * on how many there are, to the next power of two: one that comes or goes changes one group.
 */
export function splitHosts(hosts: readonly string[]): readonly (readonly string[])[] {
  if (hosts.length <= most) return [hosts];
  // Groups are half full on the average, so that hardly any is too large.
  const count = 2 ** Math.ceil(Math.log2((2 * hosts.length) / most));
  const groups = Array.from({ length: count }, (): string[] => []);
  for (const host of hosts) groups[Number(digestValue(host) % BigInt(count))]?.push(host);
  return groups;
}
