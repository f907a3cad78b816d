/** Numeric order of `major.minor`: `3.10` is after `3.4`. False for what is no version. */
export function isVersionAtLeast(version: string, least: string): boolean {
  const [major = NaN, minor = NaN] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
