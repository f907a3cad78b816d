import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { apiError } from './api-status.ts';
import { decodeProtobuf, readProtobufFrame } from './protobuf.ts';
import type { Schema } from './schema.ts';

/** A request body: its text (for checks that parsing loses) and the value it stands for. */
export interface RequestBody {
  readonly text: string;
  readonly value: unknown;
  /** True when `text` is JSON. */
  readonly json: boolean;
}

/** That of kube-apiserver. */
const limit = 3 * 1024 * 1024;

/** Reads a JSON, YAML or protobuf (by `schema`) body. Too large is a 413, CBOR a 415, what cannot be read a 400. */
export async function readBody(request: IncomingMessage, schema: Schema): Promise<RequestBody> {
  const contentType = (request.headers['content-type'] ?? 'application/json').split(';', 1)[0] ?? '';
  if (contentType.includes('cbor')) {
    const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    throw apiError(
      415,
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    );
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > limit) throw apiError(413, `Request entity too large: limit is ${limit}`);
    chunks.push(bytes);
  }
  if (contentType.includes('protobuf') && size > 0) {
    const { apiVersion, kind, raw } = readProtobufFrame(Buffer.concat(chunks));
    return { text: '', value: { apiVersion, kind, ...decodeProtobuf(raw, schema) }, json: false };
  }
  const text = Buffer.concat(chunks).toString();
  if (text.trim() === '') return { text: '', value: undefined, json: false };
  if (!contentType.includes('yaml')) return { text, value: parseJson(text), json: true };
  try {
    return { text, value: JSON.parse(text), json: true };
  } catch {
    return { text, value: parseYaml(text), json: false };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw apiError(
      400,
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw apiError(400, `error decoding YAML: ${error instanceof Error ? error.message : ''}`);
  }
}
