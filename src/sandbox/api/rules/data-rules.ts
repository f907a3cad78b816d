import type { ApiObject } from '../api-object.ts';
import type { Cause } from '../api-status.ts';
import { forbidden, invalid, required } from '../field-errors.ts';
import { getIn, isRecord, jsonEqual, textOf } from '../json.ts';
import { immutable } from './common-rules.ts';

const keyPattern = /^[-._a-zA-Z0-9]{1,253}$/;
const tlsType = 'kubernetes.io/tls';

/** Keys of a ConfigMap, and its immutability. */
export function validateConfigMap(object: ApiObject, previous: ApiObject | undefined): readonly Cause[] {
  return [
    ...validateKeys(object, 'data'),
    ...validateKeys(object, 'binaryData'),
    ...frozen(object, previous),
  ];
}

/** Keys, encoding and type of a Secret. Messages never carry its values. */
export function validateSecret(object: ApiObject, previous: ApiObject | undefined): readonly Cause[] {
  const data = object['data'];
  const undecodable = isRecord(data)
    ? Object.entries(data)
        .filter(([, value]) => !isBase64(textOf(value)))
        .map(([key]) => invalid(`data[${key}]`, '<hidden>', 'illegal base64 data'))
    : [];
  const missing =
    object['type'] === tlsType
      ? ['tls.crt', 'tls.key']
          .filter((key) => getIn(data, [key]) === undefined)
          .map((key) => required(`data[${key}]`))
      : [];
  return [
    ...validateKeys(object, 'data'),
    ...undecodable,
    ...missing,
    ...frozen(object, previous),
    ...immutable(object, previous, 'type'),
  ];
}

function validateKeys(object: ApiObject, field: string): readonly Cause[] {
  const data = object[field];
  if (!isRecord(data)) return [];
  return Object.keys(data)
    .filter((key) => !keyPattern.test(key) || key === '.' || key.startsWith('..'))
    .map((key) =>
      invalid(
        `${field}[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      ),
    );
}

function frozen(object: ApiObject, previous: ApiObject | undefined): readonly Cause[] {
  if (previous?.['immutable'] !== true) return [];
  if (object['immutable'] !== true)
    return [forbidden('immutable', 'field is immutable when `immutable` is set')];
  return ['data', 'binaryData'].flatMap((field) =>
    jsonEqual(object[field], previous[field])
      ? []
      : [forbidden(field, 'field is immutable when `immutable` is set')],
  );
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text) && text.replaceAll(/\s/g, '').length % 4 === 0;
}
