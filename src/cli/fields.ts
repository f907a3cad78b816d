import { isRecord } from '../lib/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; one without fields where it is none. */
export function record(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The objects of a list; none where it is no list. */
export function records(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The text; the empty one where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** All containers of a pod's spec, those that prepare it or run beside it first. */
export function containersOf(spec: Fields): readonly Fields[] {
  return ['initContainers', 'containers'].flatMap((field) => records(spec[field]));
}
