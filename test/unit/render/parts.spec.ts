import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundlePaths } from '../../../src/render/bundle-paths.ts';
import { createClaims } from '../../../src/render/claims.ts';
import { cutAtHeaders, tidy, withoutEmptyLines } from '../../../src/render/layout.ts';
import { ownerOfItem, templateOwner } from '../../../src/render/owner-of.ts';

describe('the layout of core text', () => {
  it.each([
    ['a  \nb\t\n', 'a\nb\n'],
    ['a\n\n\n\nb\n', 'a\n\nb\n'],
    ['acl x ', 'acl x '],
    ['  a\n', '  a\n'],
  ])('tidy %j is %j', (text, expected) => {
    expect(tidy(text)).toBe(expected);
  });

  it.each([
    ['\n  \n', ''],
    ['a\n\n\nb\n', 'a\nb\n'],
    ['  a\n   ', '  a\n'],
    ['a b ', 'a b '],
    ['', ''],
  ])('a fragment %j is %j', (text, expected) => {
    expect(withoutEmptyLines(text)).toBe(expected);
  });

  it('is cut before each section header, and the pieces are the text', () => {
    const text = '# top\nglobal\n  daemon\n\nfrontend   http from  x\n  bind :80\n  backend-ish\ndefaults\n';
    const cuts = cutAtHeaders(text);
    expect(cuts.map((cut) => cut.name)).toStrictEqual([
      undefined,
      'global',
      'frontend http from x',
      'defaults',
    ]);
    expect(cuts.map((cut) => cut.text).join('')).toBe(text);
  });

  it('loses no byte, wherever headers stand', () => {
    const line = fc.constantFrom('global\n', '  global\n', 'backend x\n', '\n', '# c\n', 'globals\n');
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(
          cutAtHeaders(lines.join(''))
            .map((cut) => cut.text)
            .join(''),
        ).toBe(lines.join(''));
      }),
    );
  });
});

describe('claims', () => {
  it('give a name to the least rank, whatever the order of claims, and forget names without', () => {
    const step = fc.record({
      name: fc.constantFrom('x', 'y'),
      rank: fc.constantFrom('1', '2', '3'),
      put: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 4 })), (rounds) => {
        const claims = createClaims<string>();
        const model = new Map<string, Set<string>>();
        for (const round of rounds) {
          const before = new Map([...model].map(([name, ranks]) => [name, [...ranks].sort()[0]]));
          const touched = new Set<string>();
          for (const { name, rank, put } of round) {
            const ranks = model.get(name) ?? new Set();
            if (put === ranks.has(rank)) continue;
            touched.add(name);
            if (put) claims.put(name, { rank, value: `${name}${rank}` });
            else claims.drop(name, rank);
            if (put) ranks.add(rank);
            else ranks.delete(rank);
            model.set(name, ranks);
          }
          const settled = claims.settle();
          expect(new Set(settled.map((settlement) => settlement.name))).toStrictEqual(touched);
          for (const { name, before: had, after, others } of settled) {
            const [first, ...rest] = [...(model.get(name) ?? [])].sort();
            expect(had?.rank).toBe(before.get(name));
            expect(after?.rank).toBe(first);
            expect(others.map((other) => other.rank)).toStrictEqual(rest);
            expect(claims.first(name)).toStrictEqual(after);
          }
          expect(claims.settle()).toStrictEqual([]);
        }
      }),
    );
  });
});

describe('claims of many on one name', () => {
  it('are in order of rank after any changes, with numbers of claims that no sort should see again', () => {
    const claims = createClaims<number>();
    const rankOf = (i: number) => String(i).padStart(6, '0');
    const many = 20_000;
    // 7919 has no factor with the number in common: every rank once, in no order.
    for (let i = 0; i < many; i++) claims.put('x', { rank: rankOf((i * 7919) % many), value: i });
    const [all] = claims.settle();
    expect([all?.after, ...(all?.others ?? [])].map((claim) => claim?.rank)).toStrictEqual(
      Array.from({ length: many }, (_, i) => rankOf(i)),
    );
    for (let i = 0; i < many; i += 2) claims.drop('x', rankOf(i));
    claims.drop('x', 'nobody');
    const [odd] = claims.settle();
    expect(odd?.before?.rank).toBe(rankOf(0));
    expect([odd?.after, ...(odd?.others ?? [])].map((claim) => claim?.rank)).toStrictEqual(
      Array.from({ length: many / 2 }, (_, i) => rankOf(2 * i + 1)),
    );
  });
});

describe('whom an item belongs to', () => {
  it.each([
    [
      { owner: { kind: 'Ingress', namespace: 'a', name: 'b' } },
      { kind: 'Ingress', namespace: 'a', name: 'b' },
    ],
    [{ owner: { kind: 'GatewayClass', name: 'b' } }, { kind: 'GatewayClass', namespace: '', name: 'b' }],
    [
      { kind: 'Widget', metadata: { namespace: 'a', name: 'b' } },
      { kind: 'Widget', namespace: 'a', name: 'b' },
    ],
    [{ metadata: { name: 'b' } }, { kind: 'things', namespace: '', name: 'b' }],
    [{ owner: 'nobody' }, { kind: 'things', namespace: '', name: 'key' }],
    ['text', { kind: 'things', namespace: '', name: 'key' }],
    [undefined, { kind: 'things', namespace: '', name: 'key' }],
  ])('%j', (item, expected) => {
    expect(ownerOfItem(item, 'key', 'things')).toStrictEqual(expected);
  });

  it('what templates print by themselves belongs to them', () => {
    expect(templateOwner('maps/x')).toStrictEqual({ kind: 'Template', namespace: '', name: 'maps/x' });
  });
});

describe('paths in the bundle', () => {
  const dataplane = {
    port: 1,
    mapsDir: '/etc/haproxy/maps',
    sslCertsDir: '/etc/haproxy/ssl',
    generalStorageDir: '/etc/haproxy/data/general',
    configFile: '/etc/haproxy/haproxy.cfg',
    minDeploymentInterval: '1s',
    reloadVerificationTimeout: '1s',
    configPublishInterval: '1s',
    driftPreventionInterval: '1s',
    syncTimeout: '1s',
    deploymentTimeout: '1s',
  };

  it('are relative to the configuration file', () => {
    const paths = bundlePaths(dataplane);
    expect([paths.map('a.map'), paths.file('b')]).toStrictEqual(['maps/a.map', 'data/general/b']);
  });

  it('of a directory elsewhere keep its last name', () => {
    expect(bundlePaths({ ...dataplane, mapsDir: '/var/maps' }).map('a')).toBe('maps/a');
  });
});
