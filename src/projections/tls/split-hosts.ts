/** So many of the longest host names fit into one runtime command. */
const most = 32;

/**
 * The hosts of one certificate in groups small enough for an entry of a crt-list each. Which group a host is in depends on the host and
 * on how many there are, to the next power of two: one that comes or goes changes one group.
 *
 * @param hosts each with a whole number that depends on nothing else
 */
export function splitHosts(
  hosts: readonly { readonly host: string; readonly digest: number }[],
): readonly (readonly string[])[] {
  if (hosts.length <= most) return [hosts.map(({ host }) => host)];
  // Groups are half full on the average, so that hardly any is too large.
  const count = 2 ** Math.ceil(Math.log2((2 * hosts.length) / most));
  const groups = Array.from({ length: count }, (): string[] => []);
  for (const { host, digest } of hosts) groups[digest % count]?.push(host);
  return groups;
}
