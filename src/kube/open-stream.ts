import { setImmediate } from 'node:timers/promises';
import { Observable } from 'rxjs';
import type { KubeFailure } from './kube-failure.ts';
import { networkFailure, type KubeRequest, type KubeTransport } from './kube-transport.ts';

/**
 * One answer as it arrives: `opened` with a 2xx status, then the body's text in network chunks (characters are never
 * cut). A failure is an item, and the last one.
 */
export type StreamItem =
  | { readonly kind: 'opened' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: KubeFailure };

/** Sends a request on subscription and streams the answer; completes at its end, never errors. Unsubscribing aborts. */
export type OpenStream = (request: Omit<KubeRequest, 'signal'>) => Observable<StreamItem>;

/** Longest time that chunks already buffered are handed on without letting the event loop turn. */
const sliceMs = 8;

/**
 * Streams over a transport. Loss policy: none; the body is pulled, so a slow consumer slows the sender down. Buffered
 * chunks are handed on for at most 8 ms before the event loop gets its turn.
 */
export function openStream(transport: KubeTransport): OpenStream {
  return (request) =>
    new Observable<StreamItem>((subscriber) => {
      const controller = new AbortController();
      const { signal } = controller;
      const run = async (): Promise<void> => {
        const result = await transport.request({ ...request, signal });
        if (!result.ok) {
          subscriber.next({ kind: 'failed', failure: result.failure });
          return;
        }
        subscriber.next({ kind: 'opened' });
        try {
          const decoder = new TextDecoder();
          let sliceEnd = performance.now() + sliceMs;
          for await (const chunk of result.value.body) {
            const text = decoder.decode(chunk, { stream: true });
            if (text !== '') subscriber.next({ kind: 'text', text });
            if (signal.aborted) return;
            if (performance.now() > sliceEnd) {
              await setImmediate();
              sliceEnd = performance.now() + sliceMs;
            }
          }
        } catch (error) {
          subscriber.next({ kind: 'failed', failure: networkFailure(error, signal) });
        }
      };
      run().then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
      return () => controller.abort();
    });
}
