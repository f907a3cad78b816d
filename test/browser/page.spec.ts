import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';
import pino from 'pino';
import { Subject } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { createTaps } from '../../src/operators/taps.ts';
import { buildServer } from '../../src/server/build-server.ts';
import { browserPath } from '../fixtures/browser-path.ts';

const executablePath = browserPath();
const screenshots = join(import.meta.dirname, '../../.haptic/screenshots');

/** A browser on a busy machine takes its time. */
const patient = { timeout: 30_000 };

/** A controller's debug pages over streams that a test writes. */
function debugPages(objects: readonly string[] = []) {
  const taps = createTaps();
  const streams = Object.fromEntries(
    ['renders', 'verdicts', 'quarantine', 'fleet', 'deliveries', 'deployments', 'leadership', 'trace'].map(
      (name) => {
        const stream = new Subject<unknown>();
        stream.pipe(taps.point(name, (value) => value)).subscribe();
        return [name, stream];
      },
    ),
  );
  const server = buildServer({
    logger: pino({ level: 'silent' }),
    health: { live: [], ready: [] },
    debug: {
      taps,
      events: {
        last: () => [
          {
            seq: 1,
            at: '2026-01-01T10:00:00.000Z',
            type: 'changes',
            correlationId: 'c-1',
            resource: 'ingresses',
            objects: ['~web/shop'],
          },
          { seq: 2, at: '2026-01-01T10:00:00.010Z', type: 'render', correlationId: 'c-1', planId: 'p1' },
          {
            seq: 3,
            at: '2026-01-01T10:00:00.090Z',
            type: 'delivery',
            correlationId: 'c-1',
            planId: 'p1',
            pod: 'haptic/haproxy-0',
            mode: 'reload',
            reasons: ['backend shop: new'],
          },
          { seq: 4, at: '2026-01-01T10:00:01.000Z', type: 'render', correlationId: 'c-2', planId: 'p2' },
        ],
      },
      explainer: {
        find: (words, limit) => objects.filter((object) => object.includes(words)).slice(0, limit),
        explain: (object) =>
          objects.includes(object)
            ? {
                object,
                planId: 'p1',
                sections: [
                  {
                    kind: 'backend',
                    name: 'shop',
                    template: 'ingress/backends:1:1',
                    firstLine: 7,
                    lastLine: 9,
                    text: 'backend shop\n  # <img src=x onerror=document.title=1>\n',
                  },
                ],
                mapEntries: [{ path: 'maps/host.map', line: 'shop.test shop' }],
                leadsTo: [{ backend: 'shop', profile: 'http', owner: 'Service web/shop' }],
                problems: [],
              }
            : undefined,
      },
      graph: () => '',
      plan: () => Promise.resolve(undefined),
      vars: {},
      heartbeat: 1_000,
    },
  });
  return { server, next: (tap: string, value: unknown) => streams[tap]?.next(value) };
}

describe.skipIf(executablePath === undefined)('the page at /debug', () => {
  let browser: Browser;
  const servers: FastifyInstance[] = [];
  const opened: Page[] = [];
  const problems: string[] = [];

  beforeAll(async () => {
    await mkdir(screenshots, { recursive: true });
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((page) => page.close()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
    // Not a word on the console: nothing failed, and nothing was refused by the content security policy.
    expect(problems.splice(0)).toStrictEqual([]);
  });

  async function open(
    pages: ReturnType<typeof debugPages>,
    scheme: 'dark' | 'light' = 'light',
  ): Promise<Page> {
    servers.push(pages.server);
    const address = await pages.server.listen({ host: '127.0.0.1', port: 0 });
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width: 1280, height: 800 } });
    opened.push(page);
    page.on('console', (message) => {
      // That a test reads the canvas often is no fault of the page.
      if (message.text().startsWith('Canvas2D: Multiple readback')) return;
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${address}/debug`);
    await page.getByText('connected', { exact: true }).waitFor();
    return page;
  }
  const shot = (page: Page, name: string) => page.screenshot({ path: join(screenshots, `${name}.png`) });
  /** Colours on the canvas. As text: what runs in the browser knows a world that this file does not. */
  const colours = (page: Page) =>
    page.evaluate<string[]>(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] === 255) seen.add([data[i], data[i + 1], data[i + 2]].join());
      return [...seen];
    })()`);

  test('shows an empty pipeline', async () => {
    const page = await open(debugPages());
    await page.keyboard.press('2');
    await page.getByText('There are no HAProxy pods').waitFor();
    await page.keyboard.press('3');
    await page.getByText('No object is held back.').waitFor();
    await page.keyboard.press('1');
    await shot(page, 'streams-0');
  });

  test.each(['light', 'dark'] as const)(
    'draws values as marbles, by keyboard and mouse, in %s',
    async (scheme) => {
      const pages = debugPages();
      const page = await open(pages, scheme);
      pages.next('renders', { kind: 'rendered', planId: 'p1', problemCount: 0 });
      pages.next('verdicts', {
        kind: 'refused',
        planId: 'p1',
        findings: [{ message: "unknown keyword 'x'" }],
      });
      pages.next('deliveries', {
        kind: 'acked',
        mode: 'runtime',
        planId: 'p1',
        pod: { key: 'haptic/haproxy-0' },
        reasons: [],
      });
      const [bad, good] = scheme === 'light' ? ['193,18,31', '26,127,55'] : ['255,123,114', '63,185,80'];
      await expect.poll(() => colours(page), patient).toEqual(expect.arrayContaining([bad, good]));
      // By keyboard: to a marble, to the one in the next lane, and back.
      await page.locator('canvas').focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await page.getByRole('complementary', { name: 'Value' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('p');
      expect(await page.getByRole('button', { name: 'Go on' }).getAttribute('aria-pressed')).toBe('true');
      // Paused, it stands still: what comes now is not drawn.
      await page.getByLabel('Only with').fill('unknown keyword');
      await expect.poll(() => colours(page), patient).not.toEqual(expect.arrayContaining([good]));
      expect(await colours(page)).toEqual(expect.arrayContaining([bad]));
      await shot(page, `streams-${scheme}`);
    },
  );

  test('shows the fleet, and explains a reload from the change on', async () => {
    const pages = debugPages();
    const page = await open(pages);
    pages.next('fleet', [
      { key: 'haptic/haproxy-0', address: '10.0.0.1' },
      { key: 'haptic/haproxy-1', address: '10.0.0.2' },
    ]);
    pages.next('deployments', {
      planId: 'p1',
      pods: 2,
      converged: 1,
      pending: ['haptic/haproxy-1'],
      failed: [],
      overdue: false,
    });
    pages.next('deliveries', {
      kind: 'acked',
      mode: 'reload',
      planId: 'p1',
      pod: { key: 'haptic/haproxy-0' },
      reasons: ['backend shop: new'],
    });
    await page.getByRole('button', { name: 'Fleet' }).click();
    await page.getByText('waits for its reload').waitFor();
    await page.getByRole('button', { name: 'backend shop: new' }).click();
    const chain = page.locator('ol.chain li');
    await expect.poll(() => chain.count(), patient).toBe(3);
    expect(await chain.first().textContent()).toContain('~web/shop');
    expect(await chain.last().textContent()).toContain('haptic/haproxy-0 · reload');
    await shot(page, 'fleet');
  });

  test('shows who is held back, and what an object has brought about, as text', async () => {
    const pages = debugPages(['Ingress web/shop', 'Service web/shop']);
    const page = await open(pages);
    pages.next('quarantine', {
      count: 1,
      objects: [
        {
          owner: { kind: 'Ingress', namespace: 'web', name: 'shop' },
          kind: 'pinned',
          state: 'confirmed',
          since: '2026-01-01T10:00:00.000Z',
          words: "<b>unknown</b> keyword 'x'",
        },
      ],
    });
    await page.keyboard.press('3');
    await page.getByText("<b>unknown</b> keyword 'x'").waitFor();
    await page.getByRole('button', { name: 'Ingress web/shop' }).click();
    await page.getByText('shop.test shop').waitFor();
    await page.getByText('lines 7–9').waitFor();
    expect(await page.title()).toBe('HAPTIC');
    await page.getByRole('button', { name: 'Service web/shop' }).click();
    await page.getByRole('heading', { name: 'Service web/shop' }).waitFor();
    await page.getByRole('combobox', { name: 'Object' }).fill('Ingress web/none');
    await page.getByRole('combobox', { name: 'Object' }).press('Enter');
    await page.getByText('has no part in the render').waitFor();
    expect(problems.splice(0)).toStrictEqual([expect.stringContaining('404')]);
    await shot(page, 'explain');
  });

  test.each([50, 10_000])('stays usable with %i objects', async (count) => {
    const objects = Array.from({ length: count }, (_, i) => `Ingress web/shop-${i}`);
    const pages = debugPages(objects);
    const page = await open(pages);
    for (let i = 0; i < count; i++)
      pages.next('trace', {
        type: 'changes',
        id: `c-${i}`,
        resource: 'ingresses',
        count: 1,
        objects: [`~web/shop-${i}`],
      });
    pages.next('quarantine', {
      count,
      objects: objects.slice(0, 1_000).map((object) => ({
        owner: { kind: 'Ingress', namespace: 'web', name: object.slice(12) },
        kind: 'excluded',
        state: 'confirmed',
        since: '2026-01-01T10:00:00.000Z',
        words: "unknown keyword 'x'",
      })),
    });
    await page.getByText(`${count} held back`).waitFor();
    await shot(page, `streams-${count}`);
    await page.keyboard.press('3');
    await expect.poll(() => page.locator('tbody tr').count(), patient).toBe(Math.min(count, 1_000));
    await page.keyboard.press('4');
    await page.getByRole('combobox', { name: 'Object' }).fill('shop-49');
    await expect.poll(() => page.locator('datalist option').count(), patient).toBe(count === 50 ? 1 : 50);
    await shot(page, `explain-${count}`);
  });

  test('goes on when the controller comes back', async () => {
    const first = debugPages();
    const page = await open(first);
    const { port } = first.server.server.address() as { port: number };
    await servers.pop()?.close();
    await page.getByText('not connected').waitFor();
    // The browser tells of the lost connection on its console.
    problems.length = 0;
    const second = debugPages();
    servers.push(second.server);
    await second.server.listen({ host: '127.0.0.1', port });
    await page.getByText('connected', { exact: true }).waitFor();
    second.next('leadership', { kind: 'leading', epoch: 2 });
    await page.getByText('leading').waitFor();
    problems.length = 0;
  });
});

test('the path of a browser that is told exists', async () => {
  if (executablePath !== undefined) await access(executablePath);
});
