import { maxNesting } from './max-nesting.ts';

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const secretName =
  /(password|passwd|secret|api[-_]?key|private[-_]?key|credentials?)$|^(token|authorization|tls\.key)$|(access|api|auth|bearer|refresh|session)[-_]?token$/i;
/** Annotations in which kubectl and kapp keep all of an object as one text, with its values. */
const wholeObject = /^(kubectl\.kubernetes\.io\/last-applied-configuration|kapp\.k14s\.io\/original)$/;
const hidden = '[redacted]';
const tooDeep = '[nested too deep]';

/**
 * A copy of plain data that may be shown: values of Secrets, of fields that are secret by name, copies of objects in annotations, and private keys
 * inside any text are replaced by `[redacted]`. Keys stay, so that a reader sees that something is there. What is nested without end is cut off.
 */
export function redact(value: unknown): unknown {
  return redacted(value, maxNesting);
}

function redacted(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.replace(privateKey, hidden);
  if (value === null || typeof value !== 'object') return value;
  if (depth === 0) return tooDeep;
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth - 1));
  const entries = Object.entries(value);
  const isSecret = (value as { kind?: unknown }).kind === 'Secret';
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (isSecretName(key) || wholeObject.test(key)) return [key, hidden];
      if (isSecret && (key === 'data' || key === 'stringData')) return [key, hideValues(inner)];
      return [key, redacted(inner, depth - 1)];
    }),
  );
}

function hideValues(data: unknown): unknown {
  if (data === null || typeof data !== 'object') return hidden;
  return Object.fromEntries(Object.keys(data).map((key) => [key, hidden]));
}

/** Whether a field of this name holds a secret. */
export function isSecretName(field: string): boolean {
  return secretName.test(field);
}
