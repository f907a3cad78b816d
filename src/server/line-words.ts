/** How a stream is written: the form of a value, and of what there is to say besides. */
export interface LineWords {
  readonly contentType: string;
  readonly value: (json: string) => string;
  readonly besides: (what: 'dropped' | 'heartbeat' | 'error', value: unknown) => string;
}

/** NDJSON: a line per value. SSE (`text/event-stream`, the HTML standard's server-sent events): an event per value. */
export const lineWords = {
  ndjson: {
    contentType: 'application/x-ndjson',
    value: (json) => `${json}\n`,
    besides: (what, value) => `${JSON.stringify({ [what]: value })}\n`,
  },
  /** Values are plain messages; what else there is has an event type, but a heartbeat, which is a comment. */
  sse: {
    contentType: 'text/event-stream',
    value: (json) => `data: ${json}\n\n`,
    besides: (what, value) =>
      what === 'heartbeat' ? ': heartbeat\n\n' : `event: ${what}\ndata: ${JSON.stringify(value)}\n\n`,
  },
} as const satisfies Record<string, LineWords>;
