import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import type { Address } from './move-config.ts';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Written before anything else. */
  readonly proxyHeader: string;
  /** Server name; absent: no TLS. Empty: TLS without a server name. */
  readonly tls?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** By name in lower case; several of one name joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const patienceMs = 10_000;

/**
 * One HTTP/1.1 request on a connection of its own. Any certificate is accepted: what is under test is where the request goes.
 * Rejects with what happened to the connection.
 */
export async function sendRequest(to: Address, request: SentRequest): Promise<HttpAnswer> {
  const socket = await connected(to, request);
  try {
    return await new Promise<HttpAnswer>((resolve, reject) => {
      const { method, path, headers, body } = request;
      const sent = http.request({
        method,
        path,
        headers: {
          ...headers,
          connection: 'close',
          ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
        setHost: false,
        createConnection: () => socket,
      });
      sent.setTimeout(patienceMs, () => sent.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
      sent.on('error', reject);
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const found: Record<string, string> = {};
          for (const [name, values] of Object.entries(response.headersDistinct))
            found[name] = (values ?? []).join(', ');
          resolve({
            status: response.statusCode ?? 0,
            headers: found,
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
      });
      sent.end(body);
    });
  } finally {
    socket.destroy();
  }
}

function connected(to: Address, { proxyHeader, tls: serverName }: SentRequest): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(to.port, to.host);
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('the connection was not taken in time')));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      if (proxyHeader !== '') socket.write(proxyHeader);
      if (serverName === undefined) {
        resolve(socket);
        return;
      }
      const secured = tls.connect({
        socket,
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
        ...(serverName === '' ? {} : { servername: serverName }),
      });
      secured.once('error', reject);
      secured.once('secureConnect', () => resolve(secured));
    });
  });
}
