import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { setUp } from '../fixtures/set-up.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/ingress.md'), 'utf8');
const block = (page.match(/(?:^(?: {4}.*)?\n)+/gm) ?? []).find((text) => text.includes('templateSnippets:'));
const { templateSnippets } = parse(block ?? '') as {
  readonly templateSnippets: Readonly<Record<string, { readonly template: string }>>;
};

describeEachLine('the access log', (line) => {
  const pool = setUp(() => startEchoPool('web'));
  const world = setUp(async () => {
    const snippets = Object.fromEntries(
      Object.entries(templateSnippets).map(([name, { template }]) => [name, template]),
    );
    const objects = [
      ...pool.objects,
      annotatedIngress('plain.example.com', {}),
      annotatedIngress('cors.example.com', { 'cors-enable': 'true' }),
    ];
    return startIngressTraffic(line, objects, { extraContext: { accessLog: true }, snippets });
  });

  it('tells host, backend and rule by the snippet of docs/ingress.md', async () => {
    await world.request({ host: 'Plain.example.com' });
    await world.request({ host: 'cors.example.com' });
    await expect.poll(world.haproxy.log).toContain('{plain.example.com|shop_web_80}');
    await expect
      .poll(world.haproxy.log)
      .toMatch(
        / shop_web_80_[0-9a-f]{16}\/\S+ .*\{cors\.example\.com\|shop_web_80_[0-9a-f]{16}\/shop_cors[^/}]*\}/,
      );
  });

  it('has no line where it is off', async () => {
    const objects = [...pool.objects, annotatedIngress('plain.example.com', {})];
    const quiet = await startIngressTraffic(line, objects, { extraContext: { accessLog: false } });
    try {
      expect((await quiet.request({ host: 'plain.example.com' })).status).toBe(200);
      await quiet.reload();
      await expect.poll(quiet.haproxy.log).toMatch(/exited with code 0|Stopping|stopped/);
      expect(quiet.haproxy.log()).not.toContain('Connect from');
    } finally {
      await quiet.stop();
    }
  });
});
