import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { limits } from '../../protocol/limits.ts';
import { CodedError } from '../../lib/coded-error.ts';

/** One part of an apply body, in the order of the wire. A `content` must be read to its end before the next part comes. */
export type ApplyPart =
  | { readonly kind: 'manifest'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: BusboyFileStream }
  | { readonly kind: 'plan'; readonly content: BusboyFileStream };

/** Longest time without a byte of a body: whoever sends it holds the apply lock meanwhile. */
const bodyIdleMs = 10_000;

/**
 * Reads a `multipart/form-data` body part by part, without holding more of it than the parser's buffer. Filenames keep their
 * folders. Throws CodedError `HAPTIC_ERR_AGENT_BODY` when it is not such a body, breaks a limit, ends early or stalls.
 *
 * @param idleMs longest time in which not a byte comes, though one is waited for
 */
export async function* applyParts(
  body: Readable,
  headers: IncomingHttpHeaders,
  idleMs = bodyIdleMs,
): AsyncGenerator<ApplyPart> {
  const queue: ApplyPart[] = [];
  const end: { failure?: CodedError; finished: boolean } = { finished: false };
  let wake: () => void = () => undefined;
  const open = new Set<BusboyFileStream>();
  // A reader in the middle of a file must learn of it as well, or it would wait for ever.
  const fail = (message: string) => {
    end.failure ??= new CodedError('HAPTIC_ERR_AGENT_BODY', message);
    for (const content of open) content.destroy(end.failure);
    wake();
  };
  const push = (part: ApplyPart) => {
    queue.push(part);
    wake();
  };
  const parser = openParser(headers);
  parser.on('field', (name, value, _nameTruncated, truncated) => {
    if (truncated) fail(`part ${JSON.stringify(name)} is larger than ${String(limits.manifestBytes)} bytes`);
    else if (name === 'manifest') push({ kind: 'manifest', text: value });
    else fail(`unknown part ${JSON.stringify(name)}`);
  });
  parser.on('file', (name, content, filename) => {
    open.add(content);
    content.on('error', (error) => fail(error.message));
    content.on('close', () => open.delete(content));
    if (name === 'plan') push({ kind: 'plan', content });
    else push({ kind: 'file', path: filename, content });
  });
  parser.on('partsLimit', () => fail('the body has too many parts'));
  parser.on('error', (error) => fail(error instanceof Error ? error.message : 'the body is malformed'));
  parser.on('finish', () => {
    end.finished = true;
    wake();
  });
  let received = 0;
  const idle = setTimeout(() => {
    // A body that its reader holds back waits for nobody's bytes.
    if (body.isPaused()) idle.refresh();
    else if (!body.readableEnded) fail(`the body stalls: not a byte came for ${String(idleMs)} ms`);
  }, idleMs);
  body.on('data', (chunk: Buffer) => {
    received += chunk.length;
    idle.refresh();
    if (received > limits.applyBodyBytes)
      fail(`the body is larger than ${String(limits.applyBodyBytes)} bytes`);
  });
  body.on('error', (error) => fail(`the body ended early: ${error.message}`));
  body.on('close', () => {
    if (!body.readableEnded) fail('the body ended early');
  });
  body.pipe(parser);
  try {
    for (;;) {
      const part = queue.shift();
      if (end.failure !== undefined) throw end.failure;
      if (part !== undefined) yield part;
      else if (end.finished) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    clearTimeout(idle);
    // A reader that stops early still lets the client finish its body, so that it can read the answer.
    body.unpipe(parser);
    for (const part of queue) if (part.kind !== 'manifest') part.content.resume();
    body.resume();
  }
}

function openParser(headers: IncomingHttpHeaders): BusboyInstance {
  const contentType = headers['content-type'];
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType ?? '' },
      preservePath: true,
      limits: {
        fieldSize: limits.manifestBytes,
        fields: 1,
        fileSize: limits.applyBodyBytes,
        parts: limits.files + 2,
      },
    });
  } catch (cause) {
    throw new CodedError('HAPTIC_ERR_AGENT_BODY', 'the body is not multipart/form-data', { cause });
  }
}
