/** The one-label wildcard that a host name is below: `*.example.com`. */
export function wildcardOf(host: string): string {
  const dot = host.indexOf('.');
  return dot === -1 ? '*.' : `*${host.slice(dot)}`;
}
