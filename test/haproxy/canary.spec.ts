import { describe, expect, it } from 'vitest';
import { prefixed } from '../fixtures/prefixed.ts';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web', 'next', 'third'));

/** The canary of a host's Ingress, to the Service `next`. */
const canaryOf = (
  host: string,
  annotations: Readonly<Record<string, string>>,
  { name = 'canary', service = 'next', namespace = 'shop', path = '/' } = {},
) =>
  ingress({
    name: `${host.replace('.example.com', '')}-${name}`,
    namespace,
    annotations: prefixed({ canary: 'true', ...annotations }),
    rules: [{ host, paths: [{ path, service }] }],
  });

describeEachLine('canaries', (line) => {
  const world = setUp(async () => {
    const hosts = [
      'header',
      'value',
      'pattern',
      'cookie',
      'all',
      'half',
      'none',
      'whole',
      'tiny',
      'two',
      'other',
    ];
    return startIngressTraffic(line, [
      ...pool.objects,
      ...hosts.map((host) => annotatedIngress(`${host}.example.com`, {})),
      canaryOf('header.example.com', { 'canary-by-header': 'X-Canary' }),
      canaryOf('value.example.com', {
        'canary-by-header': 'X-Canary',
        'canary-by-header-value': 'be$t%[src]a',
      }),
      canaryOf('pattern.example.com', {
        'canary-by-header': 'X-Canary',
        'canary-by-header-pattern': '^(beta|next)-[0-9]+$',
      }),
      canaryOf('cookie.example.com', { 'canary-by-cookie': 'Canary' }),
      canaryOf('all.example.com', {
        'canary-by-header': 'X-Canary',
        'canary-by-cookie': 'canary',
        'canary-weight': '100',
      }),
      canaryOf('half.example.com', { 'canary-weight': '1', 'canary-weight-total': '2' }),
      canaryOf('none.example.com', { 'canary-weight': '0' }),
      canaryOf('whole.example.com', { 'canary-weight': '100' }),
      canaryOf('tiny.example.com', { 'canary-weight': '999999', 'canary-weight-total': '1000000' }),
      canaryOf('two.example.com', { 'canary-weight': '50' }),
      canaryOf('two.example.com', { 'canary-weight': '50' }, { name: 'third', service: 'third' }),
      canaryOf('other.example.com', { 'canary-weight': '100' }, { namespace: 'stranger' }),
      canaryOf('alone.example.com', { 'canary-weight': '100' }),
      annotatedIngress('policy.example.com', { 'rewrite-target': '/main', headers: 'X-By: main' }, ['/api']),
      canaryOf(
        'policy.example.com',
        { 'canary-weight': '100', 'rewrite-target': '/canary' },
        { path: '/api' },
      ),
      // What restricts a canary has no effect there, so nobody is sent to it.
      annotatedIngress('strict.example.com', {}),
      canaryOf('strict.example.com', { 'canary-weight': '100', 'denylist-source-range': '192.0.2.0/24' }),
    ]);
  });

  const ask = (host: string, ...headers: readonly string[]) =>
    world.outcome({ host: `${host}.example.com`, headers });
  const count = async (host: string, times: number) => {
    const counts: Record<string, number> = {};
    for (let n = 0; n < times; n += 1) {
      const by = await ask(host);
      counts[by] = (counts[by] ?? 0) + 1;
    }
    return counts;
  };

  describe('by header', () => {
    it.each([
      ['header', 'always', 'next'],
      ['header', 'never', 'web'],
      ['header', 'Always', 'web'],
      ['value', 'be$t%[src]a', 'next'],
      ['value', 'always', 'web'],
      ['value', 'never', 'web'],
      ['pattern', 'beta-7', 'next'],
      ['pattern', 'next-42', 'next'],
      ['pattern', 'beta-', 'web'],
      ['pattern', 'x beta-7', 'web'],
      ['pattern', `beta-${'7'.repeat(1000)}`, 'web'],
    ])('%s: %s', async (host, value, server) => {
      expect(await ask(host, `X-Canary: ${value}`)).toBe(server);
      expect(await ask(host)).toBe('web');
    });
  });

  it.each([
    ['Canary=always', 'next'],
    ['a=b; Canary=always; c=d', 'next'],
    ['Canary=never', 'web'],
    ['canary=always', 'web'],
  ])('by cookie: %s', async (cookie, server) => {
    expect(await ask('cookie', `Cookie: ${cookie}`)).toBe(server);
  });

  it('looks at the header, then at the cookie, then at the weight', async () => {
    expect(await ask('all')).toBe('next');
    expect(await ask('all', 'X-Canary: never')).toBe('web');
    expect(await ask('all', 'Cookie: canary=never')).toBe('web');
    expect(await ask('all', 'X-Canary: always', 'Cookie: canary=never')).toBe('next');
    expect(await ask('all', 'X-Canary: never', 'Cookie: canary=always')).toBe('web');
    expect(await ask('all', 'X-Canary: perhaps', 'Cookie: canary=never')).toBe('web');
  });

  it('by weight: none, all, and about as many as asked for', async () => {
    expect(await count('none', 30)).toEqual({ web: 30 });
    expect(await count('whole', 30)).toEqual({ next: 30 });
    expect(await count('tiny', 30)).toEqual({ next: 30 });
    const { web = 0, next = 0 } = await count('half', 200);
    // Seven standard deviations: once in 400 billion runs.
    expect(Math.abs(web - next)).toBeLessThan(100);
  });

  it('shares between several of them', async () => {
    const { web = 0, next = 0, third = 0 } = await count('two', 200);
    expect(web).toBe(0);
    expect(Math.abs(next - third)).toBeLessThan(100);
  });

  it('takes nothing in from other namespaces, and nothing without a main Ingress', async () => {
    expect(await count('other', 10)).toEqual({ web: 10 });
    expect(await ask('alone')).toBe('404');
  });

  it('does what the main Ingress says, whoever answers', async () => {
    const { server, url, headers } = await world.echo({ host: 'policy.example.com', target: '/api/x' });
    expect([server, url, headers['x-by']]).toEqual(['next', '/main/x', 'main']);
    expect(await ask('strict')).toBe('web');
  });
});

describeEachLine('more shapes than a rule takes', (line) => {
  it('decide all the same, and after each other', async () => {
    const numbers = Array.from({ length: 25 }, (_, n) => n);
    const world = await startIngressTraffic(line, [
      ...pool.objects,
      ...numbers.flatMap((n) => [
        annotatedIngress(`n${n}.example.com`, {}),
        canaryOf(`n${n}.example.com`, { 'canary-by-header': `X-${n}`, 'canary-by-cookie': `c${n}` }),
        ...Array.from({ length: n === 3 ? 7 : 0 }, (_, i) =>
          canaryOf(
            'n3.example.com',
            { 'canary-weight': '125', 'canary-weight-total': '1000' },
            { name: `w${i}`, service: 'third' },
          ),
        ),
      ]),
    ]);
    try {
      for (const n of numbers) {
        const host = `n${n}.example.com`;
        const other = n === 3 ? 'third' : 'web';
        expect(await world.outcome({ host, headers: [`X-${n}: always`] })).toBe('next');
        expect(await world.outcome({ host, headers: [`Cookie: c${n}=always`] })).toBe('next');
        expect(await world.outcome({ host, headers: [`X-${n}: never`] })).toBe('web');
        if (n !== 3) expect(await world.outcome({ host, headers: [`X-${n + 1}: always`] })).toBe(other);
      }
    } finally {
      await world.stop();
    }
  });
});

describeEachLine('a weight', (line) => {
  it('changes without a reload, as does a canary of a known shape', async () => {
    const world = await startIngressTraffic(line, [
      ...pool.objects,
      annotatedIngress('one.example.com', {}),
      annotatedIngress('two.example.com', {}),
      canaryOf('one.example.com', { 'canary-weight': '0' }),
      canaryOf('two.example.com', { 'canary-weight': '100' }),
    ]);
    try {
      expect(await world.outcome({ host: 'one.example.com' })).toBe('web');
      world.put(canaryOf('one.example.com', { 'canary-weight': '100' }));
      await world.changeFrom(world.started);
      expect(await world.outcome({ host: 'one.example.com' })).toBe('next');
    } finally {
      await world.stop();
    }
  });
});
