/**
 * Whether a host may be asked: all where the list is empty, else those that stand in it; `*.example.com` stands for every name below
 * `example.com`, and not for itself. Case and a final dot do not matter.
 */
export function hostAllowed(host: string, allowed: readonly string[]): boolean {
  const name = normalised(host);
  return (
    allowed.length === 0 ||
    allowed.some((entry) => {
      const wanted = normalised(entry);
      return wanted.startsWith('*.')
        ? name.length > wanted.length - 1 && name.endsWith(wanted.slice(1))
        : name === wanted;
    })
  );
}

function normalised(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
