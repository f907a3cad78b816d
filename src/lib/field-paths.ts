import { CodedError } from './coded-error.ts';
import { isRecord } from './is-record.ts';
import { parseJsonPath } from './json-path.ts';

type Json = Readonly<Record<string, unknown>>;

/** A field of an object, by the names that lead to it. */
export type FieldPath = readonly string[];

/**
 * `data.token`, `metadata.annotations['a.b/c']`: a path of names alone. Fields of list items have no place of their own.
 *
 * @throws CodedError `HAPTIC_ERR_CONFIG_FIELD_PATH`
 */
export function parseFieldPath(expression: string): FieldPath {
  return parseJsonPath(expression).map((step) => {
    if (typeof step === 'object' && 'key' in step) return step.key;
    throw new CodedError(
      'HAPTIC_ERR_CONFIG_FIELD_PATH',
      `${JSON.stringify(expression)} leads into a list: name a field such as data.token`,
    );
  });
}

/** The object without these fields; what they leave empty stays as an empty object. Shares what it does not change. */
export function withoutFields(object: Json, paths: readonly FieldPath[]): Json {
  return paths.reduce((rest, path) => without(rest, path), object);
}

export function valueAt(object: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (from, name) => (isRecord(from) && Object.hasOwn(from, name) ? from[name] : undefined),
    object,
  );
}

function without(object: Json, [name = '', ...rest]: FieldPath): Json {
  const inner = Object.hasOwn(object, name) ? object[name] : undefined;
  if (inner === undefined) return object;
  if (rest.length > 0) return isRecord(inner) ? { ...object, [name]: without(inner, rest) } : object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** The object with this field set. */
export function withField(object: Json, [name = '', ...rest]: FieldPath, value: unknown): Json {
  if (rest.length === 0) return { ...object, [name]: value };
  const inner = Object.hasOwn(object, name) ? object[name] : undefined;
  return { ...object, [name]: withField(isRecord(inner) ? inner : {}, rest, value) };
}
