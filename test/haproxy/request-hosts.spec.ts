import { once } from 'node:events';
import http2 from 'node:http2';
import { expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import type { Echo } from '../fixtures/echo-server.ts';
import { setUp } from '../fixtures/set-up.ts';

/** Hosts by the server that is theirs. */
const hosts = { open: 'open.example.com', admin: 'admin.example.com', wild: '*.example.com' };
const { open, admin } = hosts;

const spellings = [
  `${open}:80@${admin}`,
  `joe@${admin}`,
  `${open}@${admin}`,
  `${admin}:80@${open}`,
  `joe:secret@${admin}:80`,
  `${open}#.${admin}`,
  `${open}?.${admin}`,
  `${open}\\.${admin}`,
  `x.example.com?.${admin}`,
  `adm%69n.example.com`,
  `%61dmin.example.com`,
  'admin%2eexample.com',
  'adm%C4%B1n.example.com',
  `${open},${admin}`,
  `${open}/.${admin}`,
  `${admin.toUpperCase()}.:80`,
  `${admin}..`,
  `${admin}:`,
  `.${admin}`,
  `[${admin}]`,
  '[::1]',
  '[::ffff:127.0.0.1]:80',
  '127.1',
  '0x7f.1',
  '*',
  '*.example.com',
  'x_y.example.com',
];

describeEachLine('a host that is written otherwise', (line) => {
  const pool = setUp(() => startEchoPool('open', 'admin', 'wild', 'any'));
  const h2 = setUp(() => freeAddress());
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...Object.entries(hosts).map(([service, host]) =>
          ingress({ name: service, rules: [{ host, paths: [{ path: '/', service }] }] }),
        ),
        ingress({ name: 'any', rules: [{ paths: [{ path: '/', service: 'any' }] }] }),
      ],
      { snippets: { 'frontend-http-900-h2c': `    bind ${h2.host}:${h2.port} proto h2\n` } },
    ),
  );

  /** The answer, if any came. */
  const asked = {
    'HTTP/1.1': async (host: string) => {
      const { status, body } = await world.request({ target: '/', host });
      return { status, body };
    },
    'HTTP/2': async (host: string) => {
      const session = http2.connect(`http://${h2.host}:${h2.port}`);
      try {
        const stream = session.request({ ':authority': host, ':path': '/' });
        let body = '';
        stream.on('data', (chunk: Buffer) => (body += chunk.toString()));
        const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
        await once(stream, 'end');
        return { status: headers[':status'], body };
      } catch {
        // HAProxy refuses what it finds malformed by ending the stream.
        return { status: 400, body: '' };
      } finally {
        session.destroy();
      }
    },
  };

  it.each(
    Object.entries(asked).flatMap(([protocol, ask]) => spellings.map((host) => ({ protocol, host, ask }))),
  )('is for servers the host whose rules counted, or refused: $host ($protocol)', async ({ host, ask }) => {
    const { status, body } = await ask(host);
    if (status === 400) return;
    expect(status).toBe(200);
    const { server, headers } = JSON.parse(body) as Echo;
    expect(server).toBe(serverOf(headers['host'] ?? ''));
  });

  it.each([
    'open.example.com',
    'OPEN.example.com.:8080',
    'x.example.com',
    'x.example.org',
    '127.0.0.1:80',
    '[::1]:80',
  ])('is served: %s', async (host) => {
    for (const ask of Object.values(asked)) expect((await ask(host)).status).toBe(200);
  });
});

/** Whose rules count for what servers read in a Host, which they take for the authority of a URL. */
function serverOf(heard: string): string {
  const read = URL.parse(`http://${heard}/`)?.hostname.replace(/\.+$/, '') ?? '';
  if (read === open) return 'open';
  if (read === admin) return 'admin';
  return /^[^.]+\.example\.com$/.test(read) ? 'wild' : 'any';
}
