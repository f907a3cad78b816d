import net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bundleFile } from '../fixtures/ingress-renderer.ts';
import { eventually, freeAddress } from '../fixtures/haproxy-process.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

describeEachLine('limits of several pods', (line) => {
  const worlds: IngressTraffic[] = [];
  beforeAll(async () => {
    const [one, two] = [await freeAddress(), await freeAddress()];
    const haproxyPods = [
      { namespace: 'haproxy', name: 'haproxy-0', address: one.host },
      { namespace: 'haproxy', name: 'haproxy-1', address: two.host },
    ];
    for (const { name } of haproxyPods)
      worlds.push(
        await startIngressTraffic(
          line,
          [
            ...pool.objects,
            annotatedIngress('open.example.com', { 'limit-connections': '5' }),
            annotatedIngress('shop.example.com', { 'limit-requests': '100', 'limit-period': '10m' }),
          ],
          {
            haproxyPods,
            extraContext: { limits: { peersPort: one.port } },
            // In a cluster it is the host name of the pod.
            snippets: { 'global-settings-990-name': `    localpeer ${name}\n` },
          },
        ),
      );
  });
  afterAll(async () => {
    for (const world of worlds) await world.stop();
  });
  const table = 'haptic-limits-address-600s';
  const countedBy = async (world: IngressTraffic | undefined) =>
    Number(
      /http_req_rate\(\d+\)=(\d+)/.exec((await world?.haproxy.cli(`show table ${table}`)) ?? '')?.[1] ?? 0,
    );

  // What is counted while they first meet may not be told.
  beforeAll(async () => {
    for (const world of worlds)
      await eventually('the peers have met', async () =>
        /\blast_status=ESTA\b|\bstatus=ESTA\b/.test(await world.haproxy.cli('show peers')) ? true : undefined,
      );
  });

  it('count what is open by each pod for itself', async () => {
    const [one, two] = worlds as [IngressTraffic, IngressTraffic];
    const socket = net.connect(one.http.port, one.http.host);
    socket.write('POST / HTTP/1.1\r\nHost: open.example.com\r\nContent-Length: 10\r\n\r\n');
    const openIn = async (world: IngressTraffic) =>
      /conn_cur=(\d+)/.exec(await world.haproxy.cli('show table haptic-limits-address-1s'))?.[1];
    await eventually('it is open', async () => ((await openIn(one)) === '1' ? true : undefined));
    await eventually('the other pod has heard of it', async () =>
      (await openIn(two)) === undefined ? undefined : true,
    );
    expect(await openIn(two)).toBe('0');
    socket.destroy();
  });

  it('are shared, and outlive a reload', async () => {
    const [one, two] = worlds as [IngressTraffic, IngressTraffic];
    expect(bundleFile(one.bundle(), 'haproxy.cfg')).toMatch(
      /\npeers haptic-limits\n +peer haproxy-0 .*\n +peer haproxy-1 /,
    );
    for (let i = 0; i < 7; i += 1) expect(await one.outcome({ host: 'shop.example.com' })).toBe('web');
    expect(await countedBy(one)).toBe(7);
    await eventually('the other pod knows', async () => ((await countedBy(two)) >= 7 ? true : undefined));
    for (let i = 0; i < 3; i += 1) expect(await two.outcome({ host: 'shop.example.com' })).toBe('web');
    expect(await countedBy(two)).toBe(10);
    await eventually('the first pod knows', async () => ((await countedBy(one)) === 10 ? true : undefined));
    await one.reload();
    await eventually('the new process knows', async () => ((await countedBy(one)) >= 10 ? true : undefined));
  });
});
