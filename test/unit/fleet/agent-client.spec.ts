import { lastValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentClient, createAgentClient } from '../../../src/fleet/agent-client.ts';
import type { ApplyManifest } from '../../../src/protocol/wire.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import {
  bodyOf,
  type Handler,
  json,
  scriptedServer,
  type ScriptedServer,
} from '../../fixtures/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface Scene {
  readonly client: AgentClient;
  readonly server: ScriptedServer;
  readonly pod: HaproxyPod;
}

async function scene(handler: Handler, timeouts: { stateTimeout?: number; applyTimeout?: number } = {}) {
  const server = await scriptedServer(handler);
  cleanups.push(server.close);
  const client = createAgentClient({ username: 'admin', password: 's3cr:et', ...timeouts });
  cleanups.push(client.close);
  return { client, server, pod: podAt(Number(new URL(server.url).port)) } satisfies Scene;
}

const podAt = (port: number, address = '127.0.0.1'): HaproxyPod => ({
  key: 'haptic/haproxy-0',
  uid: 'u',
  address,
  port,
  containerId: 'c',
});

const manifest = { plan_id: 'p', files: [], ops: [] } as unknown as ApplyManifest;
const request = { manifest, parts: [] };

describe('agentClient: the state', () => {
  it('is asked for with the credentials, and for as much as is needed', async () => {
    const seen: (string | undefined)[] = [];
    const { client, server, pod } = await scene((incoming, response) => {
      seen.push(incoming.headers.authorization);
      json(response, 200, { applied_plan_id: 'p' });
    });
    expect(await lastValueFrom(client.state(pod))).toEqual({ applied_plan_id: 'p' });
    await lastValueFrom(client.state(pod, { verify: true }));
    await lastValueFrom(client.state(pod, { plan: true }));
    expect(server.requests).toEqual([
      'GET /v1/state?verify=0&plan=0',
      'GET /v1/state?verify=1&plan=0',
      'GET /v1/state?verify=0&plan=1',
    ]);
    expect(new Set(seen)).toEqual(new Set([`Basic ${Buffer.from('admin:s3cr:et').toString('base64')}`]));
    // A second one at most, while the first is being given back.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it('is not sent for before somebody subscribes', async () => {
    const { client, server, pod } = await scene((_, response) => json(response, 200, {}));
    client.state(pod);
    await lastValueFrom(client.state(pod));
    expect(server.requests).toHaveLength(1);
  });

  it('that has no end is given up after as much as an apply may have', async () => {
    const { client, pod } = await scene((_, response) => {
      const filling = Buffer.alloc(1024 * 1024, ' ');
      const fill = () => {
        while (!response.destroyed && response.write(filling));
      };
      response.on('drain', fill);
      response.writeHead(200, { 'content-type': 'application/json' });
      fill();
    });
    const failure = await lastValueFrom(client.state(pod)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });

  it('that is refused is an error that names the pod and what it said, and no credentials', async () => {
    const { client, pod } = await scene((_, response) => json(response, 401, { message: 'who are you' }));
    const failure = await lastValueFrom(client.state(pod)).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: 'HAPTIC_ERR_AGENT_UNAUTHORIZED' });
    expect((failure as Error).message).toMatch(/haptic\/haproxy-0 .*who are you/);
    expect((failure as Error).message).not.toContain('s3cr');
  });

  it('of a pod that nobody answers for is an error that names pod and address', async () => {
    const { client, server, pod } = await scene((_, response) => json(response, 200, {}));
    await server.close();
    await expect(lastValueFrom(client.state(pod))).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_UNREACHABLE',
      message: expect.stringContaining(`agent of pod haptic/haproxy-0 at ${server.url}:`) as string,
    });
  });

  it('is asked for at an IPv6 address in brackets', async () => {
    const { client } = await scene(() => undefined);
    await expect(lastValueFrom(client.state(podAt(1, '::1')))).rejects.toThrow(/ at http:\/\/\[::1\]:1:/);
  });

  it('that does not come in time is an error', async () => {
    const { client, pod } = await scene(() => undefined, { stateTimeout: 50 });
    await expect(lastValueFrom(client.state(pod))).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_UNREACHABLE',
    });
  });
});

describe('agentClient: an apply', () => {
  it('is a form: manifest first, then each file under its full path, then the plan', async () => {
    let body = '';
    const { client, server, pod } = await scene((incoming, response) => {
      void bodyOf(incoming).then((text) => {
        body = text;
        json(response, 200, { ok: true });
      });
    });
    const bytes = [Buffer.from('a.example '), Buffer.from('one\n')];
    await lastValueFrom(
      client.apply(pod, { manifest, parts: [{ path: 'maps/host.map', bytes }], plan: Buffer.from('blob') }),
    );
    expect(server.requests).toEqual(['POST /v1/apply']);
    const at = [
      'name="manifest"',
      '{"files":[],"ops":[],"plan_id":"p"}',
      'name="file"; filename="maps/host.map"',
      'a.example one\n',
      'name="plan"; filename="plan"',
      'blob',
    ].map((text) => body.indexOf(text));
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at).not.toContain(-1);
  });

  it.each([
    [200, { ok: true }, { kind: 'result', result: { ok: true } }],
    [409, { missing: ['a', 'b'] }, { kind: 'missing', paths: ['a', 'b'] }],
    [409, { reason: 'prev_mismatch' }, { kind: 'conflict', conflict: { reason: 'prev_mismatch' } }],
    [400, { stage: 'parts' }, { kind: 'refused', status: 400, error: { stage: 'parts' } }],
    [500, { stage: 'write' }, { kind: 'refused', status: 500, error: { stage: 'write' } }],
  ])('answered %i with %j is a value', async (status, body, answer) => {
    const { client, pod } = await scene((_, response) => json(response, status, body));
    expect(await lastValueFrom(client.apply(pod, request))).toEqual(answer);
  });

  it('answered with something else than JSON is an error that shows its beginning', async () => {
    const { client, pod } = await scene((_, response) => {
      response.writeHead(502);
      response.end(`<html>${'x'.repeat(2000)}`);
    });
    const failure = await lastValueFrom(client.apply(pod, request)).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: 'HAPTIC_ERR_AGENT_ANSWER' });
    expect((failure as Error).message).toContain('POST /v1/apply answered 502: <html>xxx');
    expect((failure as Error).message.length).toBeLessThan(700);
  });

  it('ends its request when nobody waits for it any more', async () => {
    const arrived = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const { client, pod } = await scene((incoming) => {
      incoming.socket.once('close', () => ended.resolve(undefined));
      arrived.resolve(undefined);
    });
    const errors: unknown[] = [];
    const running = client.apply(pod, request).subscribe({ error: (error) => errors.push(error) });
    await arrived.promise;
    running.unsubscribe();
    await ended.promise;
    expect(errors).toEqual([]);
  });

  it('may take as long as it is given, and no longer', async () => {
    const { client, pod } = await scene(() => undefined, { applyTimeout: 50 });
    await expect(lastValueFrom(client.apply(pod, request))).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_UNREACHABLE',
    });
  });
});

describe('agentClient: a plan to keep', () => {
  it.each([
    [200, 'stored'],
    [409, 'moved'],
    [404, 'unsupported'],
    [405, 'unsupported'],
  ])('answered %i is %s', async (status, outcome) => {
    let body = '';
    const { client, server, pod } = await scene((incoming, response) => {
      void bodyOf(incoming).then((text) => {
        body = text;
        json(response, status, {});
      });
    });
    const plan = { id: 'a b', proof: 'a:1', blob: Buffer.from('blob') };
    expect(await lastValueFrom(client.storePlan(pod, plan))).toBe(outcome);
    expect(server.requests).toEqual(['PUT /v1/plan?plan_id=a+b&proof=a%3A1']);
    expect(body).toBe('blob');
  });

  it('answered otherwise is an error with the words of the answer', async () => {
    const { client, pod } = await scene((_, response) => json(response, 500, { stage: 'internal' }));
    const plan = { id: 'p', proof: 'a:1', blob: Buffer.from('blob') };
    await expect(lastValueFrom(client.storePlan(pod, plan))).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_ANSWER',
      message: expect.stringContaining('PUT /v1/plan answered 500: {"stage":"internal"}') as string,
    });
  });
});

describe('agentClient: a connection that ends under a request', () => {
  it('has the request sent again, whole', async () => {
    const bodies: string[] = [];
    const { client, server, pod } = await scene((incoming, response) => {
      if (server.requests.length === 1) incoming.socket.destroy();
      else
        void bodyOf(incoming).then((text) => {
          bodies.push(text);
          json(response, 200, { ok: true });
        });
    });
    const parts = [{ path: 'a', bytes: [Buffer.from('content')] }];
    expect(await lastValueFrom(client.apply(pod, { manifest, parts }))).toMatchObject({ kind: 'result' });
    expect(server.requests).toHaveLength(2);
    expect(bodies).toEqual([expect.stringContaining('content')]);
  });

  it('is an error when it ends each time', async () => {
    const { client, server, pod } = await scene((incoming) => incoming.socket.destroy());
    await expect(lastValueFrom(client.apply(pod, request))).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_UNREACHABLE',
    });
    expect(server.requests).toHaveLength(4);
  });
});

describe('agentClient: writes of a leader', () => {
  it('do not leave after the term, however late that is found out', async () => {
    const { client, server, pod } = await scene((_, response) => json(response, 200, { ok: true }));
    const blob = new Uint8Array([1]);
    const failures = await Promise.all(
      [
        client.apply(pod, request, () => false),
        client.storePlan(pod, { id: 'p', proof: 'a:1', blob }, () => false),
      ].map((write) => lastValueFrom<unknown>(write).catch((error: unknown) => String(error))),
    );
    for (const failure of failures) expect(failure).toMatch(/is not the leader any more: nothing was sent/);
    expect(server.requests).toEqual([]);
    // The connection is there by then, and good for what may leave.
    expect(await lastValueFrom(client.apply(pod, request, () => true))).toMatchObject({ kind: 'result' });
    expect(server.requests).toEqual(['POST /v1/apply']);
  });
});
