import { createHmac, randomBytes } from 'node:crypto';
import { isRecord } from './is-record.ts';
import { redact } from './redact.ts';

/**
 * Takes secrets out of objects so that they can still be worked with: every value of a Secret becomes another text, Base64 as before,
 * which is the same for equal values under one `disguise` and tells nothing else. Everything else is redacted as usual.
 */
export function disguise(): (object: unknown) => unknown {
  // Thrown away with the function: nobody can try values against what was written.
  const key = randomBytes(32);
  const other = (value: unknown): string =>
    createHmac('sha256', key).update(JSON.stringify(value)).digest('hex').slice(0, 12);
  return (object) => {
    const shown = redact(object);
    if (!isRecord(object) || object['kind'] !== 'Secret' || !isRecord(shown)) return shown;
    const hidden = (field: string, make: (value: unknown) => string) => {
      const data = object[field];
      return isRecord(data)
        ? { [field]: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, make(value)])) }
        : {};
    };
    return {
      ...shown,
      ...hidden('data', (value) => Buffer.from(`redacted-${other(value)}`).toString('base64')),
      ...hidden('stringData', (value) => `redacted-${other(value)}`),
    };
  };
}
