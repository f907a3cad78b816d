import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeResult } from '../../../src/kube/kube-failure.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '../../../src/kube/kube-transport.ts';
import { readJson } from '../../../src/kube/read-json.ts';

function answering(text: () => Promise<string>) {
  const requests: KubeRequest[] = [];
  const body = {
    text,
    [Symbol.asyncIterator]: () => {
      throw new Error('read by chunks');
    },
  };
  const transport: KubeTransport = {
    request: (request) => {
      requests.push(request);
      return Promise.resolve<KubeResult<KubeResponse>>({
        ok: true,
        value: { status: 200, headers: {}, body },
      });
    },
    close: () => Promise.resolve(),
  };
  return { requests, read: readJson(transport) };
}

describe('readJson', () => {
  it('gives the answer as data, and asks anew with every subscription', async () => {
    const { requests, read } = answering(() => Promise.resolve('{"a":1}'));
    const answer$ = read({ path: '/api/v1' });
    expect(requests).toHaveLength(0);
    expect(await firstValueFrom(answer$)).toStrictEqual({ ok: true, value: { a: 1 } });
    await firstValueFrom(answer$);
    expect(requests.map(({ path }) => path)).toStrictEqual(['/api/v1', '/api/v1']);
  });

  it('says what is no JSON without repeating it', async () => {
    const { read } = answering(() => Promise.resolve('<html>secret'));
    expect(await firstValueFrom(read({ path: '/api/v1' }))).toStrictEqual({
      ok: false,
      failure: { kind: 'protocol', message: 'the answer to GET /api/v1 is not JSON' },
    });
  });

  it('says when the answer breaks off', async () => {
    const broken = Object.assign(new Error('cut'), { code: 'ECONNRESET' });
    const { read } = answering(() => Promise.reject(broken));
    expect(await firstValueFrom(read({ path: '/api/v1' }))).toStrictEqual({
      ok: false,
      failure: { kind: 'network', code: 'ECONNRESET', message: 'cut' },
    });
  });

  it('aborts when nobody listens any more', () => {
    const { requests, read } = answering(() => new Promise(() => undefined));
    const subscription = read({ path: '/api/v1' }).subscribe();
    expect(requests[0]?.signal?.aborted).toBe(false);
    subscription.unsubscribe();
    expect(requests[0]?.signal?.aborted).toBe(true);
  });
});
