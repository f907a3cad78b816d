import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { headersOf } from '../fixtures/headers-of.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { setUp } from '../fixtures/set-up.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/policies-requests.md'), 'utf8');
const objects = (page.match(/(?:^(?: {4}.*)?\n)+/gm) ?? [])
  .filter((block) => block.includes('apiVersion:'))
  .map((block) => parse(block) as KubeObject);
/** Rows such as "| `host/path` with `Name: value` | 302 to `url` |". */
const rows = [...page.matchAll(/^\| `([^`/]+)(\/[^`]*)`(?: with `([^`]+)`)? +\| (.*?) +\|$/gm)].map(
  ([, host = '', target = '', header, outcome = '']) => ({ host, target, header, outcome }),
);

const haproxy = newestHaproxyLine();

describe.skipIf(haproxy === undefined)('docs/policies-requests.md', () => {
  const pool = setUp(() => startEchoPool('shop', 'shop-next'));
  const world = setUp(() => {
    if (haproxy === undefined) throw new Error('no HAProxy');
    return startIngressTraffic(haproxy, [...pool.objects, ...objects], { snippetAnnotations: true });
  });

  it('has an example and a row for what it tells', () => {
    expect(objects).toHaveLength(15);
    expect(rows).toHaveLength(17);
  });

  it.each(rows)('$host$target $header: $outcome', async ({ host, target, header, outcome }) => {
    const request = { host, target, headers: header === undefined ? [] : [header] };
    const { status, head, body } = await world.request(request);
    if (status === 200) {
      const { url, server } = JSON.parse(body) as { readonly url: string; readonly server: string };
      expect(`\`${url}\` at \`${server}\``).toBe(outcome);
    } else {
      const location = headersOf(head)['location'];
      expect(location === undefined ? String(status) : `${status} to \`${location}\``).toBe(outcome);
    }
  });

  it('edits headers as it says', async () => {
    const { headers } = await world.echo({ host: 'headers.example.com', headers: ['X-Debug: 1'] });
    expect(headers).toMatchObject({
      'x-tenant': 'blue',
      'x-forwarded-prefix': '/shop',
      via: 'shop',
      host: 'internal.example.com',
    });
    expect(headers).not.toHaveProperty('x-debug');
    const { head } = await world.request({ host: 'headers.example.com' });
    expect(headersOf(head)).toMatchObject({
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'self'",
      vary: 'Accept-Language',
    });
  });

  it('lets the main Ingress say what becomes of requests', async () => {
    const request = { host: 'canary.example.com', headers: ['X-Canary: always'] };
    expect((await world.echo(request)).headers).toMatchObject({ 'x-seen-by': 'main' });
  });

  it('sends copies', async () => {
    await world.request({ host: 'copied.example.com', target: '/copy' });
    await expect.poll(() => pool.at('shop-next').seen().at(-1)?.url).toBe('/copy');
  });

  it('shows its page and takes its lines', async () => {
    expect((await world.request({ host: 'pages.example.com' })).body).toBe('<h1>Back in a minute</h1>\n');
    const { headers } = await world.echo({ host: 'snippet.example.com', headers: ['X-Beta: 1'] });
    expect(headers).toMatchObject({ 'x-audience': 'beta' });
  });

  it('asks for what nobody has called fresh', async () => {
    const { head } = await world.request({ host: 'cached.example.com' });
    expect(headersOf(head)['cache-status']).toBe('haptic; fwd=miss');
  });
});
