import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits, type Gate } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { makePlan, type Sketch } from '../fixtures/make-plan.ts';

const timeouts = ['mode http', 'timeout connect 1s', 'timeout client 5s', 'timeout server 5s'];
const good: Sketch = {
  core: {
    '0 global':
      'global\n  default-path origin /etc/haproxy\n  stats socket /etc/haproxy/worker.sock mode 600\n',
  },
  profiles: { std: timeouts },
  backends: {
    api: {
      servers: [{ name: 'pod-1', address: '10.0.0.1', port: 80, extra: [{ name: 'check', args: [] }] }],
    },
    shop: { servers: [{ name: 'pod-2', address: '10.0.0.2', port: 80 }] },
  },
  maps: {
    'maps/host.map': { entries: [['shop.example.com', 'shop']] },
    'maps/path.map': { ordered: true, entries: [['^/a', 'api'], ['^/b', 'shop']] }, // prettier-ignore
  },
  files: { 'general/503.http': { text: 'HTTP/1.1 503 Gone\r\nContent-Length: 0\r\n\r\n' } },
};

/** A frontend names a profile, which must stand above it: here the profile is printed as a core section too. */
const frontend = (...lines: string[]) =>
  ['frontend web from std', '  bind 127.0.0.1:80', ...lines.map((line) => `  ${line}`), ''].join('\n');

const routed = [
  'errorfile 503 general/503.http',
  'use_backend %[req.hdr(host),lower,map(maps/host.map)] if { req.hdr(host),lower,map(maps/host.map) -m found }',
  'use_backend %[path,map_reg(maps/path.map)]',
];

/** `good` with a frontend of these lines and other changes. */
function sketchOf(lines: readonly string[], change: Partial<Sketch> = {}): Sketch {
  const sketch = { ...good, ...change };
  const profile = ['defaults std', ...timeouts.map((line) => `  ${line}`), ''].join('\n');
  return {
    ...sketch,
    profiles: {},
    core: { ...sketch.core, '1 std': profile, 'frontend web': frontend(...lines) },
  };
}

const containing = (text: string): unknown => expect.stringContaining(text);

describeEachLine('gate', (line) => {
  let dir = '';
  let gate: Gate;
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'haptic-gate-'));
    gate = createGate({
      haproxy: line.path,
      withRoot: checkRootsIn(dir),
      run: runProcess,
      limits: defaultGateLimits,
    });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const check = (sketch: Sketch) => firstValueFrom(gate.check(makePlan(sketch)));
  const owner = (name: string) => ({ kind: 'Service', namespace: 'default', name });

  it('accepts a configuration whose maps and files it can only have from the plan', async () => {
    const plan = makePlan(sketchOf(routed));
    expect(await firstValueFrom(gate.check(plan))).toEqual({
      kind: 'accepted',
      planId: plan.id,
      warnings: [],
    });
    await eventually('its folder goes', () => (readdirSync(dir).length === 0 ? true : undefined));
  });

  it('accepts with warnings that name their owner', async () => {
    const verdict = await check(
      sketchOf(routed, {
        backends: { ...good.backends, api: { body: ['http-request deny if { src 10.0.0.1 }'], mode: 'tcp' } },
      }),
    );
    expect(verdict).toMatchObject({
      kind: 'accepted',
      warnings: [{ severity: 'warning', section: { kind: 'backend', name: 'api' }, owner: owner('api') }],
    });
  });

  it('accepts a host name that does not resolve here: it may in the pod', async () => {
    const shop = { servers: [{ name: 'pod-1', address: 'no.such.host.invalid', port: 80 }] };
    expect(await check(sketchOf(routed, { backends: { ...good.backends, shop } }))).toMatchObject({
      kind: 'accepted',
    });
  });

  const hostile: Readonly<Record<string, string>> = {
    'a word that is no directive': 'serverr x 127.0.0.1:80',
    'a quote that never ends': 'http-request set-header x "abc',
    'a sample that does not exist': 'http-request set-var(txn.x) nope',
    'a port that does not exist': 'server x 127.0.0.1:99999',
    'more words than a line holds': `http-request set-header x ${'w '.repeat(100)}`,
  };
  it.each(Object.entries(hostile))('refuses %s and finds its owner', async (_name, text) => {
    const verdict = await check(
      sketchOf(routed, { backends: { ...good.backends, cart: { body: [text] }, zoo: {} } }),
    );
    expect(verdict).toMatchObject({
      kind: 'refused',
      findings: [
        {
          severity: 'alert',
          file: 'haproxy.cfg',
          section: { kind: 'backend', name: 'cart' },
          owner: owner('cart'),
          template: 'backends:1:1',
        },
      ],
    });
  });

  it('names every owner when several are refused', async () => {
    const verdict = await check(
      sketchOf(routed, { backends: { a: { body: ['nope'] }, b: {}, c: { body: ['nope'] } } }),
    );
    const names =
      verdict.kind === 'refused' ? verdict.findings.map((finding) => finding.owner?.name) : verdict;
    expect(names).toEqual(['a', 'c']);
  });

  it('refuses a map that is missing, in HAProxy’s own words', async () => {
    const { 'maps/host.map': _gone, ...maps } = good.maps ?? {};
    const lines = ['use_backend %[path,map(maps/host.map)]'];
    const verdict = await check(sketchOf(lines, { maps }));
    expect(verdict).toMatchObject({
      kind: 'refused',
      findings: [
        {
          message: containing('failed to open pattern file <maps/host.map>'),
          section: { kind: 'core', name: 'frontend web' },
        },
      ],
    });
    expect(JSON.stringify(verdict)).not.toContain(dir);
  });

  it('finds the entry of a map that HAProxy cannot read', async () => {
    const maps = { ...good.maps, 'maps/path.map': { ordered: true, entries: [['^/a', 'api'], ['^/(b', 'shop']] as const } }; // prettier-ignore
    expect(await check(sketchOf(routed, { maps }))).toMatchObject({
      kind: 'refused',
      findings: [{ file: 'maps/path.map', line: 2, mapKey: '^/(b' }],
    });
  });

  it('finds the frontend whose backend is missing', async () => {
    expect(await check(sketchOf(['default_backend nobody']))).toMatchObject({
      kind: 'refused',
      findings: [{ section: { kind: 'core', name: 'frontend web' } }],
    });
  });

  it('refuses a file that is missing', async () => {
    expect(await check(sketchOf(['errorfile 503 general/none.http']))).toMatchObject({
      kind: 'refused',
      findings: [{ message: containing('general/none.http') }],
    });
  });

  it('gives no verdict when its time is up', async () => {
    const hasty = createGate({
      haproxy: line.path,
      withRoot: checkRootsIn(dir),
      run: runProcess,
      limits: { ...defaultGateLimits, timeout: 0 },
    });
    expect(await firstValueFrom(hasty.check(makePlan(good)))).toMatchObject({ kind: 'unchecked' });
    await eventually('its folder goes', () => (readdirSync(dir).length === 0 ? true : undefined));
  });

  it('gives no verdict when the binary is not to be had', async () => {
    const broken = createGate({
      haproxy: path.join(dir, 'none'),
      withRoot: checkRootsIn(dir),
      run: runProcess,
      limits: defaultGateLimits,
    });
    expect(await firstValueFrom(broken.check(makePlan(good)))).toMatchObject({
      kind: 'unchecked',
      message: containing('ENOENT'),
    });
  });
});
