import { firstValueFrom, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeResult } from '../../../src/kube/kube-failure.ts';
import { readObject } from '../../../src/streams/read-object.ts';

function reading(answer: KubeResult<unknown>, apiVersion = 'v1') {
  const paths: string[] = [];
  const read = readObject(
    ({ path }) => {
      paths.push(path);
      return of(answer);
    },
    apiVersion,
    { name: 'certificates', resources: 'secrets', ignoreFields: ['status', 'metadata.labels.x'] },
  );
  return { paths, read: (key: string) => firstValueFrom(read(key)) };
}

const ok = (value: unknown): KubeResult<unknown> => ({ ok: true, value });

describe('readObject', () => {
  it.each([
    ['shop/tls', 'v1', '/api/v1/namespaces/shop/secrets/tls'],
    ['node-1', 'v1', '/api/v1/secrets/node-1'],
    ['a/b', 'example.com/v1', '/apis/example.com/v1/namespaces/a/secrets/b'],
  ])('asks for %s of %s', async (key, apiVersion, expected) => {
    const { paths, read } = reading(ok({ metadata: { name: 'x' } }), apiVersion);
    await read(key);
    expect(paths).toStrictEqual([expected]);
  });

  it('gives the object as a watch would have stored it', async () => {
    const { read } = reading(
      ok({
        kind: 'Secret',
        metadata: { name: 'tls', managedFields: [{}], labels: { x: '1', y: '2' } },
        data: { a: 'b' },
        status: { any: 'thing' },
      }),
    );
    expect(await read('shop/tls')).toStrictEqual({
      ok: true,
      value: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'tls', labels: { y: '2' } },
        data: { a: 'b' },
      },
    });
  });

  it('passes failures on', async () => {
    const failure = { kind: 'http', status: 403, reason: 'Forbidden', message: 'no' } as const;
    expect(await reading({ ok: false, failure }).read('a/b')).toStrictEqual({ ok: false, failure });
  });

  it.each([['<html>'], [null], [{ metadata: {} }], [{ metadata: { name: 'x', labels: { a: 1 } } }]])(
    'refuses %j, which is no object',
    async (answer) => {
      expect(await reading(ok(answer)).read('a/b')).toMatchObject({
        ok: false,
        failure: { kind: 'protocol' },
      });
    },
  );
});
