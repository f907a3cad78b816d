import type { Readable } from 'node:stream';
import { CodedError } from '../lib/coded-error.ts';
import { bodyTooLarge } from './body-too-large.ts';
import { countValues } from './count-values.ts';

export interface BodyLimits {
  /** Of one body. */
  readonly bodyBytes: number;
  /** Of one body: what stands between commas and brackets of its JSON. */
  readonly bodyValues: number;
  /** Of memory that all bodies together may take, from their first byte to their answer. */
  readonly heldBytes: number;
}

/** A body on its way. */
export interface HeldBody {
  /**
   * Rejects with a CodedError: `HAPTIC_ERR_WEBHOOK_SIZE` for one that is too large, `HAPTIC_ERR_WEBHOOK_BUSY` where there is no room, or it made room
   * for others, `HAPTIC_ERR_WEBHOOK_REVIEW` where its sender gave up.
   */
  readonly text: Promise<string>;
  /** To be called when nothing of it is needed any more: what comes of it counts until then. */
  readonly release: () => void;
}

export type ReadBody = (body: Readable) => HeldBody;

/** What V8 takes for a small value, about. */
const valueBytes = 48;
/** Bytes that are taken from all bodies between two turns of the event loop, about: more wait in their sockets. */
const turnBytes = 1024 * 1024;

/**
 * Reads bodies whose senders nobody knows, with an end to what they cost: of all that are being read, the one that began first makes room
 * where there is none, since an API server sends at once what it has. However many send at once, the event loop has its turns in between.
 */
export function createBodyReader({ bodyBytes, bodyValues, heldBytes }: BodyLimits): ReadBody {
  /** Ends the reading of each body that is not complete, by when they began. */
  const reading = new Map<object, () => void>();
  let held = 0;
  let taken = 0;
  const paused = new Set<Readable>();
  const goOn = (): void => {
    taken = 0;
    for (const body of paused) body.resume();
    paused.clear();
  };
  const slowDown = (body: Readable, bytes: number): void => {
    taken += bytes;
    if (taken < turnBytes) return;
    if (paused.size === 0) setImmediate(goOn);
    paused.add(body.pause());
  };
  const excessOf = (size: number, values: number): string | undefined =>
    size > bodyBytes
      ? `larger than ${bodyBytes} bytes`
      : values > bodyValues
        ? `of more than ${bodyValues} values`
        : undefined;

  return (body) => {
    const own = {};
    const chunks: Buffer[] = [];
    const count = countValues();
    let size = 0;
    let weight = 0;
    const release = (): void => {
      held -= weight;
      weight = 0;
      reading.delete(own);
    };
    const text = new Promise<string>((resolve, reject) => {
      const end = (error: CodedError): void => {
        body.off('data', take);
        chunks.length = 0;
        release();
        reject(error);
      };
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        const values = count(chunk);
        const excess = excessOf(size, values);
        if (excess !== undefined) {
          end(bodyTooLarge(excess));
          return;
        }
        slowDown(body, chunk.length);
        chunks.push(chunk);
        held += size + values * valueBytes - weight;
        weight = size + values * valueBytes;
        while (held > heldBytes) {
          const [giveUp] = reading.values();
          if (giveUp === undefined) return;
          giveUp();
        }
      };
      reading.set(own, () => end(busy()));
      body.on('data', take);
      body.once('end', () => {
        if (!reading.delete(own)) return;
        resolve(Buffer.concat(chunks, size).toString('utf8'));
        chunks.length = 0;
      });
      for (const event of ['error', 'close'])
        body.once(event, () => {
          if (reading.has(own))
            end(new CodedError('HAPTIC_ERR_WEBHOOK_REVIEW', 'the body ends before its end'));
        });
    });
    return { text, release };
  };
}

function busy(): CodedError {
  return new CodedError(
    'HAPTIC_ERR_WEBHOOK_BUSY',
    'other requests take all the memory that there is for them',
  );
}
