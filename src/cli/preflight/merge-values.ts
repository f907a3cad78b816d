import { isRecord } from '../../lib/is-record.ts';

type Values = Readonly<Record<string, unknown>>;

/** Values as Helm merges them: objects by field, everything else as a whole; null takes a default away. */
export function mergeValues(below: Values, above: Values): Values {
  const merged = new Map(Object.entries(below));
  for (const [name, value] of Object.entries(above)) {
    const former = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isRecord(value) ? mergeValues(isRecord(former) ? former : {}, value) : value);
  }
  return Object.fromEntries(merged);
}
