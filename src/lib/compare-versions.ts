/** Numeric order of `v1.33.2`, `1.33`, `1.33.2-gke.1`; what a version does not say is nought. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string): readonly number[] =>
    version
      .replace(/^v/, '')
      .split(/[.+-]/)
      .slice(0, 3)
      .map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
