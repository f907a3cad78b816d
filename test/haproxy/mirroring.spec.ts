import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { setUp } from '../fixtures/set-up.ts';

describeEachLine('mirroring', (line) => {
  const pool = setUp(() => startEchoPool('web', 'copy'));
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      annotatedIngress('copied.example.com', { 'mirror-target': 'svc://copy:80', 'rewrite-target': '/new' }),
      annotatedIngress('lost.example.com', { 'mirror-target': 'svc://gone:80' }),
      annotatedIngress('stranger.example.com', { 'mirror-target': 'svc://other/copy:80' }),
      annotatedIngress('plain.example.com', {}),
    ]),
  );
  const copies = () => pool.at('copy').seen();
  const ask = async (host: string, more = {}) => {
    expect(await world.outcome({ host: `${host}.example.com`, ...more })).toBe('web');
  };

  it.each([
    ['GET', ''],
    ['DELETE', ''],
    ['PATCH', 'a=1'],
    ['POST', 'x'.repeat(8000)],
    ['OPTIONS', ''],
  ])('sends a copy of a request with %s', async (method, body) => {
    const before = copies().length;
    await ask('copied', {
      method,
      body,
      target: '/a%20b?c=d',
      headers: [
        'X-Own: 1',
        'X-Haptic-Backend: shop_web_80',
        'X-Haptic-Method: PUT',
        `Content-Length: ${body.length}`,
      ],
    });
    await expect.poll(() => copies().length).toBe(before + 1);
    const copy = copies().at(-1);
    expect(copy).toMatchObject({ method, url: '/new/a%20b?c=d' });
    expect(copy?.headers).toMatchObject({ host: 'copied.example.com', 'x-own': '1' });
    expect(copy?.bytes).toBe(body.length);
    expect(copy?.headers).not.toHaveProperty('x-haptic-backend');
    expect(copy?.headers).not.toHaveProperty('x-haptic-method');
  });

  it('leaves out what does not fit into a buffer', async () => {
    const before = copies().length;
    const body = 'x'.repeat(40_000);
    await ask('copied', { method: 'POST', body, headers: [`Content-Length: ${body.length}`] });
    await ask('copied', { target: '/next' });
    await expect.poll(() => copies().length).toBe(before + 1);
    expect(copies().at(-1)?.url).toBe('/new/next');
  });

  it('does nothing to requests whose copy has nowhere to go, and to those of others', async () => {
    const before = copies().length;
    for (const host of ['lost', 'stranger', 'plain']) await ask(host);
    await ask('copied', { target: '/last' });
    await expect.poll(() => copies().at(-1)?.url).toBe('/new/last');
    expect(copies()).toHaveLength(before + 1);
  });
});
