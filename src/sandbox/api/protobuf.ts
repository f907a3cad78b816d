import { apiError } from './api-status.ts';
import { isRecord } from './json.ts';
import type { Schema } from './schema.ts';

const magic = 'k8s\0';

interface Field {
  readonly number: number;
  readonly value: Buffer | bigint;
}

/** An object as Kubernetes frames it in protobuf: its kind, and its fields still encoded. */
export interface ProtobufObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** Opens the frame (`k8s\0`, then `runtime.Unknown`); a 400 for anything else. */
export function readProtobufFrame(bytes: Buffer): ProtobufObject {
  if (bytes.subarray(0, 4).toString('latin1') !== magic)
    throw apiError(400, 'the body is not Kubernetes protobuf');
  let raw: Buffer = Buffer.alloc(0);
  let apiVersion = '';
  let kind = '';
  for (const { number, value } of fieldsOf(bytes.subarray(4))) {
    if (typeof value === 'bigint') continue;
    if (number === 2) raw = value;
    if (number !== 1) continue;
    for (const part of fieldsOf(value)) {
      if (typeof part.value === 'bigint') continue;
      if (part.number === 1) apiVersion = part.value.toString();
      if (part.number === 2) kind = part.value.toString();
    }
  }
  return { apiVersion, kind, raw };
}

/**
 * Decodes a message by the protobuf numbers in its schema into the JSON it stands for. Zero values are left out as JSON
 * leaves them out, but for fields whose zero means something. A field the schema does not describe is a 415.
 */
export function decodeProtobuf(bytes: Buffer, schema: Schema): Readonly<Record<string, unknown>> {
  const value: Record<string, unknown> = {};
  decodeInto(value, bytes, schema, []);
  return value;
}

function decodeInto(
  value: Record<string, unknown>,
  bytes: Buffer,
  schema: Schema,
  prefix: readonly number[],
): void {
  const properties = Object.entries(schema.properties ?? {});
  for (const field of fieldsOf(bytes)) {
    const path = [...prefix, field.number];
    const found = properties.find(([, property]) => samePath(property.proto, path));
    if (found !== undefined) {
      const [name, property] = found;
      addField(value, name, property, field.value);
    } else if (
      properties.some(([, property]) => startsWith(property.proto, path)) &&
      Buffer.isBuffer(field.value)
    ) {
      decodeInto(value, field.value, schema, path);
    }
  }
}

function addField(value: Record<string, unknown>, name: string, schema: Schema, wire: Buffer | bigint): void {
  if (schema.type === 'array') {
    const list = value[name];
    const items = Array.isArray(list) ? (list as unknown[]) : [];
    items.push(decodeValue(wire, schema.items ?? {}, name));
    value[name] = items;
    return;
  }
  if (typeof schema.additionalProperties === 'object' && Buffer.isBuffer(wire)) {
    const map = value[name];
    const [key, item] = decodeEntry(wire, schema.additionalProperties, name);
    value[name] = { ...(isRecord(map) ? map : {}), [key]: item };
    return;
  }
  const decoded = decodeValue(wire, schema, name);
  const zero = decoded === '' || decoded === 0 || decoded === false || decoded === undefined;
  if (!zero || schema.zero === true) value[name] = decoded;
}

function decodeEntry(wire: Buffer, schema: Schema, name: string): [key: string, value: unknown] {
  let key = '';
  let value: unknown = schema.type === 'string' ? '' : undefined;
  for (const field of fieldsOf(wire)) {
    if (field.number === 1 && Buffer.isBuffer(field.value)) key = field.value.toString();
    if (field.number === 2) value = decodeValue(field.value, schema, name);
  }
  return [key, value];
}

function decodeValue(wire: Buffer | bigint, schema: Schema, name: string): unknown {
  if (schema['x-kubernetes-int-or-string'] === true) return decodeIntOrString(wire, schema);
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) throw unreadable(name);
  if (typeof wire === 'bigint')
    return schema.type === 'boolean' ? wire !== 0n : Number(BigInt.asIntN(64, wire));
  if (schema.type === 'string') {
    if (schema.format === 'byte') return wire.toString('base64');
    return schema.format === 'date-time' || schema.format === 'micro-time'
      ? decodeTime(wire, schema.format)
      : wire.toString();
  }
  if (schema.type === 'object') return decodeProtobuf(wire, schema);
  throw unreadable(name);
}

function decodeTime(wire: Buffer, format: string): string | undefined {
  const numbers = new Map(
    fieldsOf(wire).map(({ number, value }) => [number, typeof value === 'bigint' ? value : 0n]),
  );
  const seconds = Number(BigInt.asIntN(64, numbers.get(1) ?? 0n));
  const nanos = Number(numbers.get(2) ?? 0n);
  if (numbers.size === 0) return undefined;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return format === 'date-time'
    ? `${text}Z`
    : `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}

/** IntOrString is `{type, intVal, strVal}`, Quantity `{string}`. */
function decodeIntOrString(wire: Buffer | bigint, schema: Schema): unknown {
  if (typeof wire === 'bigint') return Number(wire);
  const fields = new Map(fieldsOf(wire).map(({ number, value }) => [number, value]));
  const text = fields.get(schema.format === 'quantity' ? 1 : 3);
  if (schema.format === 'quantity' || fields.get(1) === 1n)
    return Buffer.isBuffer(text) ? text.toString() : '';
  const number = fields.get(2);
  return typeof number === 'bigint' ? Number(BigInt.asIntN(32, number)) : 0;
}

function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n)
        throw apiError(400, 'the protobuf body is cut short or malformed');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw apiError(400, 'the protobuf body is cut short or malformed');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        fields.push({ number, value: varint() });
        break;
      case 1:
        fields.push({ number, value: take(8) });
        break;
      case 2:
        fields.push({ number, value: take(Number(varint())) });
        break;
      case 5:
        fields.push({ number, value: take(4) });
        break;
      default:
        throw apiError(400, 'the protobuf body is cut short or malformed');
    }
  }
  return fields;
}

function unreadable(name: string): Error {
  return apiError(415, `field ${name} cannot be read from protobuf by this server: send the object as JSON`);
}

function samePath(proto: readonly number[] | undefined, path: readonly number[]): boolean {
  return proto?.length === path.length && startsWith(proto, path);
}

function startsWith(proto: readonly number[] | undefined, path: readonly number[]): boolean {
  return proto !== undefined && path.every((number, i) => proto[i] === number);
}
