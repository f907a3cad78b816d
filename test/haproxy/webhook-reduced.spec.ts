import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits, type Gate } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import { createReducer } from '../../src/webhook/reduce-plan.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { type BackendSketch, makePlan, type Sketch } from '../fixtures/make-plan.ts';

const server = (name: string, ...extra: [string, ...string[]][]) => ({
  name,
  address: '10.0.0.1',
  port: 80,
  extra: extra.map(([keyword, ...args]) => ({ name: keyword, args })),
});

const std = [
  'defaults std',
  '  mode http',
  '  timeout connect 1s',
  '  timeout client 5s',
  '  timeout server 5s',
  '',
];
const many = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`app-${i}`, { servers: [server('s1')] }] as const),
);

/** A configuration whose sections lean on each other in most of the ways there are. */
const base: Sketch = {
  core: {
    '0 global': 'global\n  default-path origin /x\n',
    '1 std': std.join('\n'),
    '2 users': 'userlist people\n  user joe insecure-password joe\n',
    '3 web': [
      'frontend web from std',
      '  bind 127.0.0.1:80',
      '  stick-table type ip size 1k store conn_cur',
      '  use_backend static-target if { path /static }',
      '  use_backend %[req.hdr(host),map_str(maps/host.map)] if { req.hdr(host),map_str(maps/host.map) -m found }',
      '  default_backend fallback',
      '',
    ].join('\n'),
  },
  backends: {
    ...many,
    fallback: { servers: [server('s1')] },
    'static-target': { servers: [server('s1')] },
    leader: { servers: [server('s1', ['check'])] },
    follower: { servers: [server('s1', ['track', 'leader/s1'])] },
    table: { body: ['stick-table type ip size 1k store http_req_cnt'], servers: [server('s1')] },
    sticky: { body: ['http-request track-sc0 src table table'], servers: [server('s1')] },
    counter: { body: ['acl few nbsrv(app-3) lt 1', 'http-request deny if few'], servers: [server('s1')] },
    secret: { body: ['http-request auth unless { http_auth(people) }'], servers: [server('s1')] },
    numbers: { body: ['http-request set-var(txn.net) src,map_ip(maps/nets.map)'], servers: [server('s1')] },
    page: { body: ['errorfile 503 general/503.http'], servers: [server('s1')] },
  },
  maps: {
    'maps/host.map': { entries: Object.keys(many).map((name) => [`${name}.example`, name] as const) },
    'maps/nets.map': { entries: [['10.0.0.0/8', 'inside']] },
    'maps/path.map': { ordered: true, entries: [['^/a', 'app-1']] },
  },
  files: { 'general/503.http': { text: 'HTTP/1.1 503 Gone\r\nContent-Length: 0\r\n\r\n' } },
};

const withBackends = (changes: Readonly<Record<string, BackendSketch | undefined>>): Sketch => ({
  ...base,
  backends: Object.fromEntries(
    Object.entries({ ...base.backends, ...changes }).filter(
      (entry): entry is [string, BackendSketch] => entry[1] !== undefined,
    ),
  ),
});
const withMap = (name: string, entries: readonly (readonly [string, string])[]): Sketch => ({
  ...base,
  maps: {
    ...base.maps,
    [name]: { ...base.maps?.[name], entries: [...(base.maps?.[name]?.entries ?? []), ...entries] },
  },
});
const withCore = (name: string, change: (text: string) => string): Sketch => ({
  ...base,
  core: { ...base.core, [name]: change(base.core?.[name] ?? '') },
});

interface Case {
  readonly sketch: Sketch;
  readonly way: 'reduced' | 'full';
  readonly good: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  'a new backend': {
    sketch: withBackends({ fresh: { servers: [server('s1')] } }),
    way: 'reduced',
    good: true,
  },
  'a new backend with a bad line': {
    sketch: withBackends({ fresh: { body: ['no-such-word'] } }),
    way: 'reduced',
    good: false,
  },
  'a backend that goes and nobody names': {
    sketch: withBackends({ 'app-7': undefined }),
    way: 'reduced',
    good: true,
  },
  'a backend that the frontend names goes': {
    sketch: withBackends({ 'static-target': undefined }),
    way: 'reduced',
    good: false,
  },
  'the default backend goes': { sketch: withBackends({ fallback: undefined }), way: 'reduced', good: false },
  'a server that is tracked from elsewhere goes': {
    sketch: withBackends({ leader: { servers: [server('s2', ['check'])] } }),
    way: 'reduced',
    good: false,
  },
  'a backend that is tracked from elsewhere goes': {
    sketch: withBackends({ leader: undefined }),
    way: 'reduced',
    good: false,
  },
  'a table that is used from elsewhere goes': {
    sketch: withBackends({ table: { servers: [server('s1')] } }),
    way: 'reduced',
    good: false,
  },
  'a backend that is counted elsewhere goes': {
    sketch: withBackends({ 'app-3': undefined }),
    way: 'reduced',
    good: false,
  },
  'a new backend names what is there': {
    sketch: withBackends({ fresh: { servers: [server('s1', ['track', 'leader/s1'])] } }),
    way: 'reduced',
    good: true,
  },
  'a new backend names what is not there': {
    sketch: withBackends({ fresh: { servers: [server('s1', ['track', 'nobody/s1'])] } }),
    way: 'reduced',
    good: false,
  },
  'a new backend uses users': {
    sketch: withBackends({
      fresh: { body: ['http-request auth unless { http_auth(people) }'], servers: [server('s1')] },
    }),
    way: 'reduced',
    good: true,
  },
  'users go': { sketch: withCore('2 users', () => ''), way: 'full', good: false },
  'users change their name': {
    sketch: withCore('2 users', (text) => text.replace('people', 'others')),
    way: 'reduced',
    good: false,
  },
  'an entry of a map': {
    sketch: withMap('maps/host.map', [['new.example', 'app-1']]),
    way: 'reduced',
    good: true,
  },
  'an entry that no one who reads the map takes': {
    sketch: withMap('maps/nets.map', [['not-an-address', 'x']]),
    way: 'reduced',
    good: false,
  },
  'a file that somebody else reads breaks': {
    sketch: { ...base, files: { 'general/503.http': { text: 'no answer\r\n' } } },
    way: 'reduced',
    good: false,
  },
  'a file that somebody reads goes': { sketch: { ...base, files: {} }, way: 'full', good: false },
  'the frontend gets a line': {
    sketch: withCore('3 web', (text) => `${text}  http-request deny if { path /x }\n`),
    way: 'reduced',
    good: true,
  },
  'the frontend gets a bad line': {
    sketch: withCore('3 web', (text) => `${text}  use_backend nobody if { path /x }\n`),
    way: 'reduced',
    good: false,
  },
  'global changes': {
    sketch: withCore('0 global', (text) => `${text}  maxconn 100\n`),
    way: 'full',
    good: true,
  },
  'a profile changes': {
    sketch: withCore('1 std', (text) => `${text}  retries 2\n`),
    way: 'full',
    good: true,
  },
};

describeEachLine('a reduced check', (line) => {
  let dir = '';
  let gate: Gate;
  const verdictOf = async (plan: Plan): Promise<boolean> => {
    const verdict = await firstValueFrom(gate.check(plan));
    if (verdict.kind === 'unchecked') throw new Error(verdict.message);
    return verdict.kind === 'accepted';
  };
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'haptic-reduced-'));
    gate = createGate({
      haproxy: line.path,
      withRoot: checkRootsIn(dir),
      run: runProcess,
      limits: { ...defaultGateLimits, remembered: 1 },
    });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('stands on a configuration that is good', async () => {
    expect(await verdictOf(makePlan(base))).toBe(true);
  });

  describe.each(Object.entries(cases))('%s', (_name, { sketch, way, good }) => {
    it(`is judged ${way === 'full' ? 'as a whole' : 'in a part'}, as the whole is`, async () => {
      const next = makePlan(sketch);
      const reduction = createReducer()(makePlan(base), next, () => false);
      expect(reduction.kind).toBe(way);
      expect(await verdictOf(next)).toBe(good);
      if (reduction.kind !== 'reduced') return;
      expect(await verdictOf(reduction.plan)).toBe(good);
      expect(reduction.plan.sections.size).toBeLessThan(next.sections.size / 2);
    });
  });

  it.each([
    ['sections that lean on each other', arbitraryChange, ['known', 'reduced']],
    ['sections of few forms', arbitraryForms, ['known', 'reduced']],
  ] as const)(
    'never takes what the whole is refused for: %s',
    async (_what, arbitrary, expected) => {
      const reduce = createReducer();
      const taken = new Set<string>();
      const ways = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          arbitrary as fc.Arbitrary<Record<string, BackendSketch | undefined>>,
          async (change) => {
            const next = makePlan(withBackends(change));
            const reduction = reduce(makePlan(base), next, (forms) => forms.every((form) => taken.has(form)));
            if (reduction.kind === 'full' || reduction.kind === 'unchanged') return;
            if (reduction.kind === 'reduced' && !(await verdictOf(reduction.plan))) return;
            if (reduction.kind === 'reduced') for (const form of reduction.forms ?? []) taken.add(form);
            ways.add(reduction.kind);
            expect(await verdictOf(next)).toBe(true);
          },
        ),
        { numRuns: 40, seed: 5 },
      );
      expect([...ways].sort()).toEqual(expected);
    },
    120_000,
  );
});

const names = [
  'app-0',
  'app-1',
  'leader',
  'follower',
  'table',
  'sticky',
  'counter',
  'fallback',
  'static-target',
  'new-1',
  'new-2',
];
const arbitraryName = fc.constantFrom(...names);
const arbitraryLine = fc.oneof(
  arbitraryName.map((name) => `acl few nbsrv(${name}) lt 1`),
  arbitraryName.map((name) => `http-request track-sc0 src table ${name}`),
  fc.constant('stick-table type ip size 1k store http_req_cnt'),
  fc.constant('http-request auth unless { http_auth(people) }'),
  fc.constant('http-request set-var(txn.net) src,map_ip(maps/nets.map)'),
  fc.constant('errorfile 503 general/503.http'),
  fc.constant('http-request deny'),
  fc.constant('option nonsense'),
);
const arbitraryBackend = fc.record({
  body: fc.uniqueArray(arbitraryLine, { maxLength: 2, selector: (text) => text.split(' ')[0] }),
  servers: fc.oneof(
    fc.constant([server('s1')]),
    fc.constant([server('s2', ['check'])]),
    arbitraryName.map((name) => [server('s1', ['track', `${name}/s1`])]),
  ),
});
const arbitraryChange = fc.dictionary(
  arbitraryName,
  fc.option(arbitraryBackend, { nil: undefined, freq: 3 }),
  { minKeys: 1, maxKeys: 3 },
);

/** New backends that differ in names, addresses, ports and weights; now and then one that is wrong. */
const arbitraryForms = fc.dictionary(
  fc.constantFrom('new-1', 'new-2', 'new-3', 'new-4', 'new-5'),
  fc.record({
    body: fc.constantFrom([], [], ['balance leastconn'], ['balance nonsense'], ['http-request deny']),
    servers: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c', 'd'),
        address: fc.oneof(fc.ipV4(), fc.ipV6()),
        port: fc.integer({ min: 1, max: 65_535 }),
        weight: fc.integer({ min: 0, max: 256 }),
      }),
      { maxLength: 3, selector: ({ name }) => name },
    ),
  }),
  { minKeys: 1, maxKeys: 2 },
);
