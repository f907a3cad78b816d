import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { KubeRequest, KubeTransport } from '../../../src/kube/kube-transport.ts';

/** An API server's answers without a server: what a watch reads is what the script pushes, on the next turn of the loop. */
export interface ScriptedApi {
  readonly transport: KubeTransport;
  /** One watch event of a resource, as the line that a real server sends. */
  push(resource: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void;
}

interface Stream {
  readonly chunks: Uint8Array[];
  wake: () => void;
}

const encoder = new TextEncoder();
const chunkBytes = 64 * 1024;

/** `initial`: objects by plural resource name, sent as initial events in chunks of 64 KiB as a socket gives them. */
export function scriptedApi(initial: Readonly<Record<string, readonly KubeObject[]>>): ScriptedApi {
  const streams = new Map<string, Stream>();
  let version = 1;
  const lineOf = (type: string, object: KubeObject): string =>
    `${JSON.stringify({ type, object: { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } } })}\n`;

  const request = async ({ path, signal }: KubeRequest) => {
    const resource = path.split('/').at(-1) ?? '';
    const stream: Stream = { chunks: [], wake: () => undefined };
    streams.set(resource, stream);
    const lines = (initial[resource] ?? []).map((object) => lineOf('ADDED', object));
    lines.push(
      `${JSON.stringify({
        type: 'BOOKMARK',
        object: {
          metadata: {
            resourceVersion: String(version),
            annotations: { 'k8s.io/initial-events-end': 'true' },
          },
        },
      })}\n`,
    );
    const bytes = encoder.encode(lines.join(''));
    for (let at = 0; at < bytes.length; at += chunkBytes)
      stream.chunks.push(bytes.subarray(at, at + chunkBytes));
    signal?.addEventListener('abort', () => stream.wake());
    const body = {
      text: async () => Promise.reject(new Error('not a list')),
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const chunk = stream.chunks.shift();
          if (signal?.aborted === true) return;
          if (chunk !== undefined) yield chunk;
          else await new Promise<void>((resolve) => (stream.wake = resolve));
        }
      },
    };
    return Promise.resolve({ ok: true as const, value: { status: 200, headers: {}, body } });
  };

  return {
    transport: { request, close: async () => Promise.resolve() },
    push(resource, type, object) {
      const stream = streams.get(resource);
      if (stream === undefined) throw new Error(`nobody watches ${resource}`);
      stream.chunks.push(encoder.encode(lineOf(type, object)));
      stream.wake();
    },
  };
}
