import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { crtListOptions } from '../../../src/plan/crt-list-operations.ts';
import { diff } from '../../../src/plan/diff.ts';
import { addServerKeywords } from '../../../src/plan/server-keywords.ts';
import { limits } from '../../../src/protocol/limits.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import type { FileKind } from '../../../src/protocol/plan.ts';
import {
  makePlan,
  type BackendSketch,
  type CertificateSketch,
  type ServerSketch,
  type Sketch,
} from '../../fixtures/make-plan.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/reload-free.md'), 'utf8');
const [, header = '', body = ''] = /^(\| change .*\|)\n\|[- |]+\|\n((?:\|.*\|\n)+)/m.exec(page) ?? [];
const cells = (row: string) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const versions = cells(header).slice(1);
const rows = body.trimEnd().split('\n').map(cells);

const one: ServerSketch = { name: 'pod-1', address: '10.0.0.1', port: 80 };
const two: ServerSketch = { name: 'pod-2', address: '10.0.0.2', port: 80 };
const keyword = (name: string, ...args: string[]) => ({ name, args });

const base: Sketch = {
  core: { global: 'global\n', web: 'frontend web from std\n' },
  profiles: { std: [] },
  backends: { shop: { servers: [one] } },
};
const shop = (sketch: BackendSketch): Sketch => ({ ...base, backends: { shop: sketch } });
const servers = (...list: ServerSketch[]) => shop({ servers: list });
const another = (sketch: BackendSketch): Sketch => ({
  ...base,
  backends: { ...base.backends, cart: sketch },
});
const withMap = (ordered: boolean, ...entries: [string, string][]): Sketch => ({
  ...base,
  maps: { 'maps/m.map': { ordered, entries } },
});
const withFile = (text: string, reloadOnChange: boolean, kind: FileKind = 'general') => ({
  ...base,
  files: { f: { text, reloadOnChange, kind } },
});

const listed = (name: string): CertificateSketch => ({
  certificate: `ssl/${name}.pem`,
  sniFilters: [`${name}.example`],
});
const withList = (...entries: CertificateSketch[]): Sketch => ({
  ...base,
  crtLists: { 'ssl/list.txt': entries },
  files: Object.fromEntries(
    entries.map(({ certificate }) => [certificate, { kind: 'cert' as const, text: certificate }]),
  ),
});

/** What each row of the page stands for: pairs of before and after, all of one cost. */
const scenarios: Readonly<Record<string, readonly (readonly [Sketch, Sketch])[]>> = {
  'a new server': [[servers(one), servers(one, two)]],
  'a server that goes': [[servers(one, two), servers(one)]],
  'another address or port of a server': [
    [servers(one), servers({ ...one, address: '2001:db8::1' })],
    [servers(one), servers({ ...one, port: 81 })],
  ],
  'another weight, a drain (weight 0)': [
    [servers(one), servers({ ...one, weight: 9 })],
    [servers({ ...one, weight: 9 }), servers({ ...one, weight: 0 })],
  ],
  'into and out of maintenance': [
    [servers(one), servers({ ...one, disabled: true })],
    [servers({ ...one, disabled: true }), servers(one)],
  ],
  'a new server with a health check': [[servers(one), servers(one, { ...two, extra: [keyword('check')] })]],
  'a new server with a cookie': [[servers(one), servers(one, { ...two, extra: [keyword('cookie', 'c')] })]],
  'a new server under `balance source`': [
    [shop({ balance: 'source', servers: [one] }), shop({ balance: 'source', servers: [one, two] })],
  ],
  'a new server under a consistent hash': [
    [
      shop({ balance: 'source', hashType: 'consistent', servers: [one] }),
      shop({ balance: 'source', hashType: 'consistent', servers: [one, two] }),
    ],
  ],
  'a new server with a host name for an address': [
    [servers(one), servers(one, { ...two, address: 'db.example' })],
  ],
  'another check interval of a server': [
    [servers(one), servers({ ...one, extra: [keyword('inter', '9s')] })],
  ],
  'the order of servers': [[servers(one, two), servers(two, one)]],
  'a new backend of a known profile': [[base, another({ servers: [two] })]],
  'a backend that goes': [[another({ servers: [two] }), base]],
  'a new backend with directives of its own': [[base, another({ body: ['stick on src'] })]],
  'another profile, mode or balance of a backend': [
    [base, shop({ mode: 'tcp', servers: [one] })],
    [base, shop({ balance: 'leastconn', servers: [one] })],
    [
      { ...base, profiles: { std: [], alt: [] } },
      { ...shop({ profile: 'alt', servers: [one] }), profiles: { std: [], alt: [] } },
    ],
  ],
  'a comment in a backend': [[base, shop({ servers: [one], comment: 'of team shop' })]],
  'a new profile': [[base, { ...base, profiles: { std: [], zed: [] } }]],
  'a profile that nobody uses any more goes': [[{ ...base, profiles: { std: [], zed: [] } }, base]],
  'any line of a frontend or of `global`': [
    [base, { ...base, core: { ...base.core, web: 'frontend web from std\n  bind :80\n' } }],
    [base, { ...base, core: { ...base.core, global: 'global\n  maxconn 9\n' } }],
  ],
  'a map entry, new, gone or with another value': [
    [withMap(false), withMap(false, ['a', 'x'])],
    [withMap(false, ['a', 'x']), withMap(false)],
    [withMap(true, ['a', 'x']), withMap(true, ['a', 'two words'])],
  ],
  'an entry amid an ordered map': [
    [withMap(true, ['a', 'x'], ['c', 'x']), withMap(true, ['a', 'x'], ['b', 'x'], ['c', 'x'])],
  ],
  'a file with `reloadOnPush: false`': [[withFile('a', false), withFile('b', false)]],
  'a file with `reloadOnPush: true`': [[withFile('a', true), withFile('b', true)]],
  'another content of a certificate': [[withFile('a', false, 'cert'), withFile('b', false, 'cert')]],
  'another content of a CA or a CRL file': (['ca', 'crl'] as const).map((kind) => [
    withFile('a', false, kind),
    withFile('b', false, kind),
  ]),
  'a certificate that is larger than a runtime command': [
    [withFile('a', false, 'cert'), withFile('b'.repeat(limits.payloadBytes + 1), false, 'cert')],
  ],
  'a new entry of a crt-list, with its certificate': [
    [withList(listed('a')), withList(listed('a'), listed('c'))],
    [withList(listed('a'), listed('c')), withList(listed('a'), listed('b'), listed('c'))],
  ],
  'an entry of a crt-list that goes, with its certificate': [
    [withList(listed('a'), listed('b'), listed('c')), withList(listed('a'), listed('c'))],
  ],
  'other host names or options of an entry': [
    [
      withList(listed('a'), listed('b')),
      withList(listed('a'), { ...listed('b'), sniFilters: ['b.example', '*.b.example'] }),
    ],
    [withList(listed('a'), listed('b')), withList(listed('a'), { ...listed('b'), options: ['alpn', 'h2'] })],
  ],
  'the first entry of a crt-list, the default certificate': [
    [withList(listed('a'), listed('b')), withList(listed('b'), listed('a'))],
  ],
  'an entry before another one of the same host name': [
    [
      withList(listed('a'), listed('b')),
      withList(listed('a'), { ...listed('c'), sniFilters: ['b.example'] }, listed('b')),
    ],
  ],
  'a crt-list whose entries are not declared': [
    [withFile('a', false, 'crtlist'), withFile('b', false, 'crtlist')],
  ],
  'a new server with a certificate or a CA file of its own': (['crt', 'ca-file'] as const).map((name) => [
    servers(one),
    {
      ...servers(one, { ...two, extra: [keyword(name, 'f')] }),
      files: { f: { text: 'a', kind: name === 'crt' ? 'cert' : 'ca' } },
    },
  ]),
};

const routes = (...entries: [string, string][]): Sketch => ({ ...base, maps: { 'maps/m.map': { entries } } });
const and = (sketch: Sketch, more: Sketch): Sketch => ({ ...sketch, ...more });

/** What each row of the second table stands for, on lines on which a new backend is a reload. */
const whileWaiting: Readonly<Record<string, readonly (readonly [Sketch, Sketch])[]>> = {
  'servers that come, move, weigh otherwise, are toggled': [
    [servers(one), servers(one, two)],
    [servers(one), servers({ ...one, address: '10.0.0.9' })],
    [servers(one), servers({ ...one, weight: 7 })],
    [servers(one), servers({ ...one, disabled: true })],
  ],
  'servers that go: they are put into maintenance': [[servers(one, two), servers(one)]],
  'servers of a backend that itself has yet to come': [[base, another({ servers: [two] })]],
  'another content of a certificate': [[withFile('a', false, 'cert'), withFile('b', false, 'cert')]],
  'new certificates, CA files, entries of crt-lists': [
    [withList(listed('a')), withList(listed('a'), listed('b'))],
    [base, withFile('a', false, 'ca')],
  ],
  'values and deletions in maps': [
    [routes(['a', 'x']), routes(['a', 'y'])],
    [routes(['a', 'x']), routes()],
  ],
  'the same, and a new key in one of the maps': [[routes(['a', 'x']), routes(['a', 'y'], ['b', 'x'])]],
  'the same, and another line of a frontend': [
    [
      routes(['a', 'x']),
      and(routes(['a', 'y']), { core: { ...base.core, web: 'frontend web from std\n  bind :80\n' } }),
    ],
  ],
  'another value in a map, and a new backend': [
    [routes(['a', 'x']), and(another({ servers: [two] }), { maps: routes(['a', 'cart']).maps ?? {} })],
  ],
  'a deletion in a map, and a new backend': [
    [routes(['a', 'x']), and(another({ servers: [two] }), { maps: routes().maps ?? {} })],
  ],
};

describe('docs/reload-free.md', () => {
  it('has a row for every scenario, and none besides', () => {
    expect(versions).toEqual(['2.6', '3.0', '3.2', '3.4']);
    expect(rows.map(([change]) => change)).toEqual(Object.keys(scenarios));
  });

  it.each(rows)('tells what it costs: %s', (change, ...costs) => {
    for (const [before, after] of scenarios[change] ?? [])
      expect(
        versions.map(
          (version) => `\`${diff(makePlan(after), baselineOf(makePlan(before), version)).verdict}\``,
        ),
      ).toEqual(costs);
  });

  it('lists every keyword that a new server can have, with the line it holds from', () => {
    const listed = /<!-- keywords -->\n\n(.*)\.\n/.exec(page)?.[1]?.split(', ');
    expect(listed).toEqual(
      Object.entries(addServerKeywords).map(([name, { since }]) =>
        since === '2.6' ? `\`${name}\`` : `\`${name}\` (from ${since})`,
      ),
    );
  });

  it('lists every option of an entry of a crt-list, with the line it holds from', () => {
    const given = /<!-- options -->\n\n(.*)\.\n/.exec(page)?.[1]?.split(', ');
    expect(given).toEqual(
      Object.entries(crtListOptions).map(([name, { since }]) =>
        since === '2.6' ? `\`${name}\`` : `\`${name}\` (from ${since})`,
      ),
    );
  });

  const [, waitingRows = ''] = /^\| change +\| at once \|\n\|[- |]+\|\n((?:\|.*\|\n)+)/m.exec(page) ?? [];
  const waiting = waitingRows.trimEnd().split('\n').map(cells);

  it('has a row for everything that may be done while a reload waits', () => {
    expect(waiting.map(([change]) => change)).toEqual(Object.keys(whileWaiting));
  });

  it.each(waiting)('tells what is done while a reload waits: %s', (change = '', atOnce = '') => {
    for (const [before, after] of whileWaiting[change] ?? [])
      for (const version of ['2.6', '3.0', '3.2'])
        expect(
          diff(makePlan(after), baselineOf(makePlan(before), version, { reloadPending: true })).inPlace
            .length > 0,
        ).toBe(atOnce === 'yes');
  });

  it('quotes a reason as it reads, and the limits as they are', () => {
    const before = { ...base, backends: { default_shop_80: { balance: 'source', servers: [] } } };
    const after = {
      ...base,
      backends: { default_shop_80: { balance: 'source', servers: [{ ...one, name: 'pod-7' }] } },
    };
    const [reason = 'none'] = diff(makePlan(after), baselineOf(makePlan(before))).reasons;
    expect(page).toContain(`\`${reason}\``);
    const count = (n: number) => n.toLocaleString('en-US');
    expect(page).toContain(
      `at most ${count(limits.operationBatches * limits.operationsPerBatch)} runtime operations`,
    );
    expect(page).toContain(
      `${count(limits.pendingServerDeletes)} servers and ${limits.pendingBackendDeletes} backends`,
    );
    expect(page).toContain(`${count(limits.operationsPerBatch)} changed entries`);
  });
});
