const framing = 'it belongs to the connection';
const trust = 'servers rely on what HAProxy says there';
const loops = 'it counts the proxies that a request has passed, so that none goes round for ever';

/** RFC 9110, 7.6.1 and what HTTP/1.1 tells the length of a message by. */
const ofConnection = [
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Which headers of requests and of responses users may not touch, and why. */
export const refusedHeader = {
  request: (name: string): string | undefined => {
    if (ofConnection.includes(name)) return framing;
    // RFC 8586, 3: it is not to be changed or removed.
    if (name === 'cdn-loop') return loops;
    if (name === 'host') return 'upstream-vhost is for it';
    // Others of the kind (-host, -port, -prefix) say what a rewrite has hidden.
    if (['forwarded', 'x-forwarded-for', 'x-forwarded-proto'].includes(name)) return trust;
    return name.startsWith('x-ssl-client') ? trust : undefined;
  },
  response: (name: string): string | undefined => (ofConnection.includes(name) ? framing : undefined),
} as const;
