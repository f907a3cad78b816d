type Labels = Readonly<Record<string, string>>;

/** Every label of `wanted` is there with the same value. An empty one matches nothing: it would pick every pod. */
export function matchesLabels(wanted: Labels | undefined, labels: Labels | undefined): boolean {
  const entries = Object.entries(wanted ?? {});
  return entries.length > 0 && entries.every(([key, value]) => labels?.[key] === value);
}
