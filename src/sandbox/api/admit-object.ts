import type { ApiContext, WriteOptions } from './api-context.ts';
import type { ApiObject } from './api-object.ts';
import { apiError } from './api-status.ts';
import { checkSchema } from './check-schema.ts';
import { invalidObject } from './field-errors.ts';
import { isRecord } from './json.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';
import { validateMetadata } from './validate-metadata.ts';

/**
 * Reads what a client sent as an object of this kind: kind and version must fit, types must be right (400), unknown
 * fields are dropped and, by `fieldValidation`, reported as kube-apiserver does (Strict: 400, Warn: a warning each).
 */
export function decodeObject(
  context: ApiContext,
  type: ResourceType,
  body: unknown,
  options: WriteOptions,
): ApiObject {
  if (!isRecord(body)) throw apiError(400, 'the request body is not an object');
  const { apiVersion = apiVersionOf(type), kind = type.kind, metadata = {}, ...rest } = body;
  if (apiVersion !== apiVersionOf(type) || kind !== type.kind) {
    const given = `${String(apiVersion)}, Kind=${String(kind)}`;
    throw apiError(
      400,
      `the object provided is unrecognized: ${given} was sent where ${apiVersionOf(type)}, Kind=${type.kind} is expected`,
    );
  }
  const object = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: isRecord(metadata) ? metadata : {},
    ...rest,
  };
  if (context.allowInvalid()) return asObject(object);
  const { value, unknown, mistyped } = checkSchema(object, type.schema, type.custom === undefined);
  if (type.custom === undefined && mistyped.length > 0) {
    const text = `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${mistyped.join('; ')}`;
    throw apiError(400, text);
  }
  reportFields(
    type,
    unknown.map((path) => `unknown field "${path}"`),
    options,
  );
  return asObject(value);
}

/** Reports unknown or duplicate fields as `fieldValidation` wants it. */
export function reportFields(type: ResourceType, findings: readonly string[], options: WriteOptions): void {
  if (findings.length === 0) return;
  if (options.fieldValidation === 'Strict') {
    const list = findings.join(', ');
    const text = `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${list}`;
    throw apiError(400, text);
  }
  if (options.fieldValidation !== 'Ignore') for (const finding of findings) options.warn?.(finding);
}

/** Defaults, then validation: a 422 that lists every wrong field. */
export function admitObject(
  context: ApiContext,
  type: ResourceType,
  object: ApiObject,
  previous: ApiObject | undefined,
): ApiObject {
  const complete = type.setDefaults?.(object, previous) ?? object;
  if (context.allowInvalid()) return complete;
  const causes = [
    ...(type.custom?.validate(complete) ?? []),
    ...validateMetadata(complete, type.names),
    ...(type.validate?.(complete, previous) ?? []),
  ];
  if (causes.length > 0) throw invalidObject(type, complete.metadata.name, causes);
  return complete;
}

/** The edge where a client's JSON becomes an object: `metadata` is a record, its name a string. */
function asObject(value: unknown): ApiObject {
  const record = isRecord(value) ? value : {};
  const metadata = isRecord(record['metadata']) ? record['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  return { ...record, metadata: { ...metadata, name } } as ApiObject;
}
