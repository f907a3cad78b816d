import { apiError, type Cause } from './api-status.ts';
import type { ResourceType } from './resource-type.ts';

export function invalid(field: string, value: unknown, detail: string): Cause {
  return {
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
  };
}

export function required(field: string, detail = ''): Cause {
  return {
    reason: 'FieldValueRequired',
    field,
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): Cause {
  const list = supported.map((item) => JSON.stringify(item)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
  };
}

export function duplicate(field: string, value: unknown): Cause {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${JSON.stringify(value)}` };
}

export function forbidden(field: string, detail: string): Cause {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

/** The 422 that lists every wrong field of one object, in kube-apiserver's words. */
export function invalidObject(type: ResourceType, name: string, causes: readonly Cause[]): Error {
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  return apiError(422, `${kind} "${name}" is invalid: ${list}`, {
    details: { name, ...(type.group === '' ? {} : { group: type.group }), kind: type.kind, causes },
  });
}
