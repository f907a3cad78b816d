import type { ServerResponse } from 'node:http';
import type { ApiStatus } from './api-status.ts';
import { toYaml } from '../../lib/to-yaml.ts';

/** Answers with text that is JSON already. */
export function sendText(response: ServerResponse, code: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(text);
  response.writeHead(code, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': body.length,
  });
  response.end(body);
}

export function sendJson(response: ServerResponse, code: number, value: unknown): void {
  sendText(response, code, JSON.stringify(value));
}

/** Answers with an object as JSON or YAML, and a Warning header for each warning. */
export function sendObject(
  response: ServerResponse,
  code: number,
  value: unknown,
  yaml: boolean,
  warnings: readonly string[] = [],
): void {
  if (response.headersSent || response.destroyed) return;
  if (warnings.length > 0)
    response.setHeader(
      'Warning',
      warnings.map((text) => `299 - ${quote(text)}`),
    );
  if (!yaml) {
    sendJson(response, code, value);
    return;
  }
  const body = Buffer.from(toYaml(value));
  response.writeHead(code, { 'content-type': 'application/yaml', 'content-length': body.length });
  response.end(body);
}

/** Answers with a failure; `Retry-After` goes along when the Status names it. */
export function sendStatus(response: ServerResponse, status: ApiStatus): void {
  const after = status.details?.retryAfterSeconds;
  if (after !== undefined && !response.headersSent) response.setHeader('Retry-After', String(after));
  sendJson(response, status.code, status);
}

function quote(text: string): string {
  const ascii = text.replaceAll(/[^\x20-\x7e]/g, '?');
  return `"${ascii.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
