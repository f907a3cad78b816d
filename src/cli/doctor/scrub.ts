import { isRecord } from '../../lib/is-record.ts';
import { isSecretName } from '../../lib/redact.ts';

const hidden = '[redacted]';
/** What is shorter would be found in every second word. */
const least = 4;
/** Words of a value that are searched for by themselves, since templates may escape or cut what is between them. */
const words = /[A-Za-z0-9+/=_.$-]{8,}/g;

/**
 * Replaces every given value wherever it stands in a text: as it is, by its lines, its words and what stands behind a user's name, as base64,
 * percent-encoded, and as a string of JSON. One pass over the text, however many values there are.
 */
export function createScrubber(values: Iterable<string>): (text: string) => string {
  const byPrefix = new Map<string, string[]>();
  for (const pattern of new Set([...values].flatMap(formsOf))) {
    const prefix = pattern.slice(0, least);
    const known = byPrefix.get(prefix);
    if (known === undefined) byPrefix.set(prefix, [pattern]);
    else known.push(pattern);
  }
  for (const patterns of byPrefix.values()) patterns.sort((a, b) => b.length - a.length);

  return (text) => {
    const parts: string[] = [];
    let from = 0;
    for (let at = 0; at + least <= text.length;) {
      const found = byPrefix.get(text.slice(at, at + least))?.find((pattern) => text.startsWith(pattern, at));
      if (found === undefined) {
        at += 1;
        continue;
      }
      parts.push(text.slice(from, at), hidden);
      at += found.length;
      from = at;
    }
    return from === 0 ? text : parts.join('') + text.slice(from);
  };
}

function formsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const behindNames = lines.flatMap((line) =>
    line.includes(':') ? [line.slice(line.indexOf(':') + 1).trim()] : [],
  );
  const plain = [value, value.trim(), ...lines, ...behindNames, ...(value.match(words) ?? [])];
  return plain
    .flatMap((text) => [
      text,
      JSON.stringify(text).slice(1, -1),
      encodeURIComponent(text.toWellFormed()),
      Buffer.from(text).toString('base64'),
      Buffer.from(text).toString('base64url'),
    ])
    .filter(({ length }) => length >= least);
}

/** All texts below fields that are secret by name. */
export function valuesByName(value: unknown, isSecret = false): readonly string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value === 'number') return isSecret ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => valuesByName(item, isSecret));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    valuesByName(inner, isSecret || isSecretName(field)),
  );
}
