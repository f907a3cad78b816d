import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildAgentServer } from '../../src/agent/build-agent-server.ts';
import { type ServerLimits, serverLimits } from '../../src/agent/server-limits.ts';
import { limits } from '../../src/protocol/limits.ts';
import { agentOptions, applyBody, manifestOf } from '../fixtures/agent-harness.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { siteFiles } from '../fixtures/site-config.ts';

/** Digest of every file but the agent's own, which it may still be tidying up. */
async function contentOf(dir: string, within = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(path.join(dir, within))) {
    if (name.startsWith('.haptic-')) continue;
    const entry = path.join(within, name);
    const file = path.join(dir, entry);
    const kind = await stat(file);
    if (kind.isDirectory()) Object.assign(found, await contentOf(dir, entry));
    else if (kind.isFile())
      found[entry] = createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
  }
  return found;
}

describeEachLine(
  'what an agent does not take in',
  (line) => {
    const scene = useAgentScene(line);
    let close: () => Promise<void>;
    let port: number;
    let before: Record<string, string>;
    let logged: string[];

    /** The scene's agent, with files of a first apply, behind a server of its own limits. */
    const serve = async (changed: Partial<ServerLimits> = {}) => {
      const { harness, haproxy } = scene();
      const log = pino({ level: 'debug' }, { write: (text: string) => void logged.push(text) });
      const app = buildAgentServer({
        agent: harness.agent,
        auth: agentOptions(haproxy).auth,
        log,
        limits: { ...serverLimits, checkMs: 20, graceMs: 500, ...changed },
      });
      await app.listen({ host: '127.0.0.1', port: 0 });
      port = (app.server.address() as AddressInfo).port;
      close = () => app.close();
    };
    beforeEach(async () => {
      logged = [];
      close = () => Promise.resolve();
      const { talk, site, haproxy } = scene();
      const files = siteFiles(site({ app: [{ name: 's', port: await scene().echo('s') }] }), { '/': 'app' });
      expect((await talk.reload(files)).body).toMatchObject({ ok: true });
      before = await contentOf(haproxy.baseDir);
    });
    afterEach(async () => {
      await close();
      const { haproxy, harness } = scene();
      expect(await contentOf(haproxy.baseDir)).toEqual(before);
      await eventually('nothing is left of it', async () =>
        (await readdir(path.join(haproxy.baseDir, '.haptic-tmp')).catch(() => [])).length === 0
          ? true
          : undefined,
      );
      expect(await harness.state('?plan=0&verify=1')).toMatchObject({ generation: 1 });
      expect(logged.join('')).not.toMatch(/SECRET|YWRtaW46c2VjcmV0/);
    });

    interface Reply {
      readonly status: number;
      readonly body: { readonly stage?: string; readonly code?: string };
    }

    /** Sends bytes as they are, piece by piece; what comes back until the connection ends. */
    const exchange = (
      pieces: readonly (string | Buffer)[],
      { pauseMs = 0, end = false }: { pauseMs?: number; end?: boolean } = {},
    ): Promise<Reply> =>
      new Promise((resolve, reject) => {
        const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        let text = '';
        socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          const [head = '', body = ''] = text.split('\r\n\r\n');
          const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
          try {
            resolve({ status, body: JSON.parse(body === '' ? '{}' : body) as Reply['body'] });
          } catch {
            reject(new Error(`unexpected answer: ${text.slice(0, 300)}`));
          }
        });
        socket.on('end', () => socket.destroy());
        void (async () => {
          for (const piece of pieces) {
            if (socket.destroyed) return;
            socket.write(piece);
            if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs));
          }
          if (end) socket.end();
        })();
      });

    const head = (method: string, url: string, headers: readonly string[]) =>
      [
        `${method} ${url} HTTP/1.1`,
        'Host: x',
        `Authorization: Basic ${Buffer.from('admin:secret').toString('base64')}`,
        ...headers,
        '',
        '',
      ].join('\r\n');

    /** The bytes of an apply that would change everything. */
    const apply = async () => {
      const { harness, talk } = scene();
      const files = { ...talk.files, 'maps/path.map': '/SECRET app\n', 'certs/a.pem': 'SECRET' };
      const manifest = manifestOf(await harness.state('?plan=0'), files, { mode: 'reload' });
      const request = new Request('http://x', { method: 'POST', body: applyBody(manifest, files) });
      return {
        type: `Content-Type: ${request.headers.get('content-type') ?? ''}`,
        bytes: Buffer.from(await request.arrayBuffer()),
      };
    };

    it('headers that do not come to an end', async () => {
      await serve({ headersMs: 100, readMs: 200 });
      const reply = await exchange(['GET /v1/state HTTP/1.1\r\nHost: x\r\nX-Slow: '], { pauseMs: 10 });
      expect(reply).toMatchObject({ status: 408, body: { code: 'HAPTIC_ERR_AGENT_REQUEST' } });
    });

    it('headers that are too large', async () => {
      await serve();
      const reply = await exchange([head('GET', '/v1/state', [`X: ${'x'.repeat(20_000)}`])]);
      expect(reply).toMatchObject({ status: 431, body: { code: 'HAPTIC_ERR_AGENT_REQUEST' } });
    });

    it('what is no HTTP', async () => {
      await serve();
      expect(await exchange(['\x16\x03\x01 nonsense\r\n\r\n'])).toMatchObject({
        status: 400,
        body: { stage: 'request', code: 'HAPTIC_ERR_AGENT_REQUEST' },
      });
    });

    it('a body that comes too slowly', async () => {
      await serve({ headersMs: 100, readMs: 300 });
      const { type, bytes } = await apply();
      const pieces = Array.from({ length: 40 }, (_, i) => bytes.subarray(i * 20, i * 20 + 20));
      const reply = await exchange(
        [head('POST', '/v1/apply', [type, `Content-Length: ${bytes.length}`]), ...pieces],
        { pauseMs: 20 },
      );
      expect(reply.status).toBe(408);
    });

    it.each([0, 1, 200, -60, -1])('a body that ends after %i bytes of its length', async (cut) => {
      await serve();
      const { type, bytes } = await apply();
      const reply = await exchange(
        [head('POST', '/v1/apply', [type, `Content-Length: ${bytes.length}`]), bytes.subarray(0, cut)],
        { end: true },
      );
      expect(reply.status === 0 || reply.status === 400).toBe(true);
    });

    it('a form that ends before its last boundary', async () => {
      await serve();
      const { type, bytes } = await apply();
      const short = bytes.subarray(0, -60);
      const reply = await exchange([
        head('POST', '/v1/apply', [type, `Content-Length: ${short.length}`, 'Connection: close']),
        short,
      ]);
      expect(reply.status).toBe(400);
      expect(['request', 'parts']).toContain(reply.body.stage);
    });

    it('a body that says it is larger than allowed, before any of it is read', async () => {
      await serve();
      const { type } = await apply();
      for (const url of ['/v1/apply', '/v1/plan?plan_id=a&proof=b']) {
        const method = url === '/v1/apply' ? 'POST' : 'PUT';
        const length = `Content-Length: ${limits.applyBodyBytes + 1}`;
        expect(await exchange([head(method, url, [type, length])])).toMatchObject({
          status: 413,
          body: { code: 'HAPTIC_ERR_AGENT_BODY' },
        });
      }
    });

    it('a plan that is larger than allowed', async () => {
      await serve();
      const length = limits.planBlobBytes + 1;
      const type = 'Content-Type: application/octet-stream';
      expect(
        await exchange([
          head('PUT', '/v1/plan?plan_id=a&proof=b', [type, `Content-Length: ${length}`, 'Connection: close']),
        ]),
      ).toMatchObject({ status: 413, body: { code: 'HAPTIC_ERR_AGENT_BODY' } });
    });

    it('a body without a length that goes on beyond what is allowed', async () => {
      await serve();
      const { type, bytes } = await apply();
      const chunk = Buffer.alloc(4 * 1024 * 1024, 'x');
      const framed = Buffer.concat([
        Buffer.from(`${chunk.length.toString(16)}\r\n`),
        chunk,
        Buffer.from('\r\n'),
      ]);
      const opening = bytes.subarray(0, bytes.indexOf('SECRET'));
      const first = Buffer.concat([
        Buffer.from(`${opening.length.toString(16)}\r\n`),
        opening,
        Buffer.from('\r\n'),
      ]);
      const reply = await exchange(
        [
          head('POST', '/v1/apply', [type, 'Transfer-Encoding: chunked', 'Connection: close']),
          first,
          ...Array.from({ length: 18 }, () => framed),
        ],
        { pauseMs: 5 },
      );
      // Refused while it is sent: whether the answer still gets through is up to the network.
      expect([0, 400, 413]).toContain(reply.status);
    });

    it.each([
      ['POST', '/v1/apply', 'application/json', 415],
      ['POST', '/v1/apply', 'text/plain', 415],
      ['POST', '/v1/apply', 'application/octet-stream', 400],
      ['POST', '/v1/apply', 'multipart/mixed; boundary=x', 415],
      ['PUT', '/v1/plan?plan_id=a&proof=b', 'application/zstd', 415],
      ['PUT', '/v1/plan?plan_id=a&proof=b', 'multipart/form-data; boundary=x', 400],
    ])('%s %s with the type %s', async (method, url, type, status) => {
      await serve();
      const reply = await exchange([
        head(method, url, [`Content-Type: ${type}`, 'Content-Length: 6', 'Connection: close']),
        'SECRET',
      ]);
      expect(reply).toMatchObject({ status, body: { stage: 'request', code: 'HAPTIC_ERR_AGENT_REQUEST' } });
    });

    it('a connection that lies idle', async () => {
      await serve({ idleMs: 50 });
      const reply = await exchange([head('GET', '/healthz', [])]);
      expect(reply.status).toBe(200);
    });
  },
  (line) => line === '3.4',
);
