import { once } from 'node:events';
import net from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { setUp } from '../fixtures/set-up.ts';

describeEachLine('a HAProxy with as many connections as it takes', (line) => {
  const maxconn = 140;
  /** More than a frontend takes, and no more than wait in its backlog. */
  const clients = 30;
  const traffic = setUp(() => startIngressTraffic(line, [], { extraContext: { maxconn } }));
  const open: net.Socket[] = [];
  afterAll(() => {
    for (const socket of open) socket.destroy();
  });

  it('answers probes: connections of clients leave it some', async () => {
    for (const to of [traffic.http, traffic.https]) {
      const sockets = Array.from({ length: clients }, () => net.connect(to.port, to.host));
      open.push(...sockets);
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    }
    const held = async () => /^CurrConns: (\d+)$/m.exec(await traffic.haproxy.cli('show info'))?.[1];
    // Half of what the status frontend leaves, each.
    await expect.poll(held, { timeout: 10_000 }).toBe(String(maxconn - 100));
    for (const path of ['/healthz', '/ready', '/metrics']) {
      const answer = await fetch(`http://${traffic.status.host}:${String(traffic.status.port)}${path}`, {
        signal: AbortSignal.timeout(10_000),
      });
      expect(answer.status).toBe(200);
      await answer.text();
    }
  });
});
