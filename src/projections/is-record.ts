/** True for a JSON object; false for null, lists and scalars. Objects from the API are unvalidated JSON. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
