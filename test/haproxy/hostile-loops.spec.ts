import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress } from '../fixtures/haproxy-process.ts';
import { startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, service } from '../fixtures/kube-objects.ts';

describeEachLine('a Service whose servers are HAProxy itself', (line) => {
  // Each passage adds a line of X-Forwarded-For, and HAProxy takes about a hundred headers.
  it.each([
    [{}, 120],
    [{ 'mirror-target': 'svc://web:80' }, 500],
    [{ 'auth-url': 'svc://web:80/' }, 1_500],
  ])('is a loop that ends: %j', async (annotations: Readonly<Record<string, string>>, most) => {
    const own = await freeAddress();
    const world = await startIngressTraffic(
      line,
      [
        service({ name: 'web' }),
        endpointSlice({
          service: 'web',
          ports: [{ port: own.port }],
          endpoints: [{ address: own.host, pod: 'web' }],
        }),
        annotatedIngress('loop.example.com', annotations),
        // As whoever is asked about requests is called.
        annotatedIngress('web.shop.svc', annotations),
      ],
      {
        extraContext: { maxconn: 8_000 },
        snippets: { 'frontend-http-900-own': `    bind ${own.host}:${own.port}\n` },
      },
    );
    try {
      await world.request({ host: 'loop.example.com' });
      const count = async () => {
        const page = await fetch(`http://${world.status.host}:${world.status.port}/metrics`);
        const found = /^haproxy_frontend_http_requests_total\{proxy="http"\} (\d+)$/m.exec(await page.text());
        return Number(found?.[1]);
      };
      let before = -1;
      const requests = await eventually('an end', async () => {
        const now = await count();
        const isOver = now === before;
        before = now;
        if (isOver) return now;
        await new Promise((resolve) => setTimeout(resolve, 500));
        return undefined;
      });
      expect(requests).toBeGreaterThan(10);
      expect(requests).toBeLessThan(most);
    } finally {
      await world.stop();
    }
  });
});
