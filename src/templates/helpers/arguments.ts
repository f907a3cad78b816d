/** What helpers take their arguments for; a RangeError says what is wrong with one. */
export function listOf(from: unknown): readonly unknown[] {
  if (from === undefined || from === null) return [];
  if (Array.isArray(from)) return from;
  throw new RangeError('a list is needed here');
}

export function textOf(from: unknown): string {
  if (typeof from === 'string') return from;
  if (typeof from === 'number' || typeof from === 'boolean') return String(from);
  throw new RangeError(
    from === undefined || from === null ? 'there is no value here' : 'a text is needed here',
  );
}

export function numberOf(from: unknown): number {
  const number = typeof from === 'string' && from.trim() !== '' ? Number(from) : from;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new RangeError(`${typeof from === 'string' ? JSON.stringify(from) : typeof from} is not a number`);
}

/** A number of things, places or characters. */
export function countOf(from: unknown, most: number): number {
  const count = numberOf(from);
  if (Number.isInteger(count) && count >= 0 && count <= most) return count;
  throw new RangeError(`${count} is not a whole number from 0 to ${most}`);
}
