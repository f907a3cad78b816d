/** For what lengths of prefixes addresses are looked up, longest first. */
export interface PrefixLengths {
  readonly ipv4: readonly number[];
  readonly ipv6: readonly number[];
}

/** What of networks (`10.0.0.0/8`) is printed: not which they are. */
export function prefixLengths(networks: readonly string[]): PrefixLengths {
  const lengthsOf = (isWanted: (network: string) => boolean) =>
    [...new Set(networks.filter(isWanted).map((network) => Number(network.split('/')[1])))].sort(
      (a, b) => b - a,
    );
  const isIpv6 = (network: string) => network.includes(':');
  return { ipv4: lengthsOf((network) => !isIpv6(network)), ipv6: lengthsOf(isIpv6) };
}
