import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../src/agent/agent.ts';
import { isAuthorized } from '../../../src/agent/basic-auth.ts';
import { buildAgentServer } from '../../../src/agent/build-agent-server.ts';
import { rawRequest } from '../../fixtures/raw-http.ts';

const credentials = { username: 'admin', password: 'secret' };
const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;

function serve(agent: Partial<Agent>) {
  const lines: string[] = [];
  const sink = new PassThrough();
  sink.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const whole: Agent = {
    ready: () => true,
    state: () => Promise.reject(new Error('not asked for')),
    apply: () => Promise.reject(new Error('not asked for')),
    storePlan: () => Promise.reject(new Error('not asked for')),
    announceSoftStop: () => Promise.resolve(),
    run: () => Promise.resolve(),
    ...agent,
  };
  return {
    app: buildAgentServer({ agent: whole, auth: { kind: 'basic', credentials }, log: pino(sink) }),
    lines,
  };
}

describe('the agent’s HTTP interface', () => {
  it('tells health and readiness without credentials', async () => {
    const ready = vi.fn(() => false);
    const { app } = serve({ ready });
    expect((await app.inject('/healthz')).statusCode).toBe(200);
    expect((await app.inject('/readyz')).statusCode).toBe(503);
    ready.mockReturnValue(true);
    expect((await app.inject('/readyz')).statusCode).toBe(200);
  });

  it.each([
    ['none', {}],
    ['a wrong password', { authorization: `Basic ${Buffer.from('admin:secreT').toString('base64')}` }],
    ['another scheme', { authorization: 'Bearer secret' }],
    ['nonsense', { authorization: 'Basic' }],
  ])('lets nobody in with %s as credentials', async (_what, headers) => {
    const { app } = serve({});
    for (const [method, url] of [
      ['GET', '/v1/state'],
      ['POST', '/v1/apply'],
      ['PUT', '/v1/plan?plan_id=a&proof=b'],
    ] as const) {
      const answer = await app.inject({ method, url, headers });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('Basic');
    }
  });

  it.each(['/%761/state', '/v1/%73tate', '//v1/state', '/v1//state', '/V1/state'])(
    'lets nobody in under the spelling %s either',
    async (url) => {
      const { app } = serve({ state: () => Promise.reject(new Error('let in')) });
      expect([401, 404]).toContain((await app.inject(url)).statusCode);
    },
  );

  it.each(['PUT /nothing', 'POST /v1/state', 'DELETE /v1/plan', 'PUT /v1/plan', 'POST /v1/apply'])(
    'waits for no body of a stranger’s %s',
    async (line) => {
      const { app } = serve({});
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.address() as AddressInfo;
      const [method = '', target = ''] = line.split(' ');
      // Not a byte of it is sent.
      const headers = ['Content-Type: application/octet-stream', 'Content-Length: 8388608'];
      const answer = await rawRequest({ host: '127.0.0.1', port }, { method, target, headers });
      expect([401, 404]).toContain(answer.status);
      await app.close();
    },
  );

  it('keeps no connection of a stranger open, however it is answered', async () => {
    const { app } = serve({});
    for (const url of ['/healthz', '/readyz', '/v1/state', '/nothing'])
      expect([url, (await app.inject(url)).headers.connection]).toStrictEqual([url, 'close']);
    const own = await app.inject({ url: '/healthz', headers: { authorization } });
    expect(own.headers.connection).not.toBe('close');
  });

  it('passes on what the state request asks for', async () => {
    const state = vi.fn<Agent['state']>(() => Promise.reject(new Error('enough')));
    const { app } = serve({ state });
    const ask = (query: string) => app.inject({ url: `/v1/state${query}`, headers: { authorization } });
    await ask('');
    await ask('?verify=1&plan=0');
    expect(state.mock.calls).toEqual([[{ verify: false, plan: true }], [{ verify: true, plan: false }]]);
  });

  it('tells no state before start-up is done, when the worker is not known', async () => {
    const state = vi.fn<Agent['state']>();
    const { app } = serve({ ready: () => false, state });
    const answer = await app.inject({ url: '/v1/state', headers: { authorization } });
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      { stage: 'startup', message: 'the agent has not finished its start-up' },
    ]);
    expect(state).not.toHaveBeenCalled();
  });

  it('hides its own failures behind a message, and logs them', async () => {
    const { app, lines } = serve({ state: () => Promise.reject(new Error('the inner reason')) });
    const answer = await app.inject({ url: '/v1/state', headers: { authorization } });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ stage: 'internal' });
    expect(answer.body).not.toContain('the inner reason');
    expect(lines.join('')).toContain('the inner reason');
    expect(lines.join('')).not.toContain(authorization);
  });

  it('answers in its own form what it does not know', async () => {
    const { app } = serve({});
    const unknown = await app.inject({ url: '/v1/other', headers: { authorization } });
    expect([unknown.statusCode, unknown.json()]).toEqual([
      404,
      { stage: 'request', code: 'HAPTIC_ERR_AGENT_REQUEST', message: 'there is no such endpoint' },
    ]);
    const odd = await app.inject({
      method: 'POST',
      url: '/v1/apply',
      headers: { authorization, 'content-type': 'application/xml' },
      payload: '<a/>',
    });
    expect(odd.statusCode).toBe(415);
    expect(odd.json()).toMatchObject({ stage: 'request', code: 'HAPTIC_ERR_AGENT_REQUEST' });
    const noPlan = await app.inject({ method: 'PUT', url: '/v1/plan', headers: { authorization } });
    expect(noPlan.statusCode).toBe(400);
  });

  it('compares credentials whole', () => {
    expect(isAuthorized(authorization, credentials)).toBe(true);
    expect(isAuthorized(`${authorization} `, credentials)).toBe(false);
    expect(isAuthorized(undefined, credentials)).toBe(false);
    expect(isAuthorized(authorization, { username: 'admin', password: '' })).toBe(false);
  });
});
