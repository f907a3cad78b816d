/** True for a JSON object; false for null, lists and scalars: the first question to data that nobody has checked. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
