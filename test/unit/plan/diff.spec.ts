import { describe, expect, it } from 'vitest';
import { editOrderedMap, getEntry, orderedMapFrom, valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Baseline } from '../../../src/plan/baseline.ts';
import { capabilitiesOf } from '../../../src/plan/capabilities.ts';
import { createPlan } from '../../../src/plan/create-plan.ts';
import { diff } from '../../../src/plan/diff.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { Section } from '../../../src/protocol/plan.ts';
import { allOperations, baselineOf } from '../../fixtures/baseline.ts';
import {
  makePlan,
  type BackendSketch,
  type MapSketch,
  type ServerSketch,
  type Sketch,
} from '../../fixtures/make-plan.ts';

const podOne: ServerSketch = { name: 'pod-1', address: '10.0.0.1', port: 80 };
const podTwo: ServerSketch = { name: 'pod-2', address: '10.0.0.2', port: 80 };

const base: Sketch = {
  core: { global: 'global\n', http: 'frontend http from std\n' },
  profiles: { std: ['timeout server 5s'] },
  backends: { shop: { servers: [podOne, podTwo] } },
  maps: { 'maps/path.map': { entries: [['/a', 'shop']] } },
  files: { 'files/503.http': { text: 'gone', reloadOnChange: false } },
};

/** The decision between two sketches, for a pod of that HAProxy line. */
function decide(before: Sketch, after: Sketch, version = '3.4', overrides: Partial<Baseline> = {}) {
  return diff(makePlan(after), baselineOf(makePlan(before), version, overrides));
}

/** `base` with another backend `shop`. */
function withShop(shop: BackendSketch): Sketch {
  return { ...base, backends: { shop } };
}

function withMap(map: MapSketch): Sketch {
  return { ...base, maps: { 'maps/path.map': map } };
}

const keyword = (name: string, ...args: string[]) => ({ name, args });

describe('diff without a usable baseline', () => {
  it('reloads with all files when what the pod holds is not known (R0)', () => {
    const decision = diff(makePlan(base), baselineOf(makePlan(base), '3.4', { applied: undefined }));
    expect(decision).toMatchObject({ verdict: 'reload', mode: 'reload', batches: [] });
    expect(decision.reasons).toEqual(['no baseline: what the pod holds is not known']);
    expect(decision.changedFiles).toEqual(['files/503.http', 'haproxy.cfg', 'maps/path.map']);
  });

  it('reloads while a reload is pending, whatever the change', () => {
    const after = withShop({ servers: [podOne] });
    expect(decide(base, after, '3.4', { reloadPending: true }).reasons).toEqual([
      'a reload of the pod is pending',
    ]);
  });

  it('reloads when the version of HAProxy cannot be read', () => {
    const decision = decide(withShop({ servers: [podOne] }), base, 'unknown');
    expect(decision.reasons).toEqual([
      'backend shop: server pod-2: new, and HAProxy ? cannot add servers at runtime',
    ]);
  });

  it('names an operation that the agent does not execute (R0)', () => {
    const capabilities = capabilitiesOf(
      { version: '3.4' },
      allOperations.filter((kind) => kind !== 'server_del'),
    );
    const decision = decide(base, withShop({ servers: [podOne] }), '3.4', { capabilities });
    expect(decision.reasons).toEqual(['the agent does not execute server_del']);
  });

  it('starts operations from what the worker runs, and files from what the disk holds', () => {
    const worker = makePlan(withShop({ servers: [podOne] }));
    const decision = diff(makePlan(base), baselineOf(makePlan(base), '3.4', { workerOps: worker }));
    expect(decision).toMatchObject({ verdict: 'runtime', changedFiles: [] });
    expect(decision.batches.flat().map(({ kind }) => kind)).toEqual(['server_add', 'server_enable']);
  });
});

describe('diff of sections and profiles (R1)', () => {
  const cases: Readonly<Record<string, [Sketch, readonly string[]]>> = {
    'a changed core section': [
      { ...base, core: { ...base.core, global: 'global\n  maxconn 5\n' } },
      ['section global: changed (core/global:1:1)'],
    ],
    'a removed core section': [
      { ...base, core: { global: 'global\n' } },
      ['section http: removed (core/http:1:1)'],
    ],
    'a new core section': [
      { ...base, core: { ...base.core, stats: 'frontend stats from std\n' } },
      ['section stats: added (core/stats:1:1)'],
    ],
    'a new profile': [
      { ...base, profiles: { ...base.profiles, alt: ['timeout server 9s'] } },
      ['profile alt: new, and HAProxy reads profiles only at start'],
    ],
    'a changed profile': [
      { ...base, profiles: { std: ['timeout server 9s'] } },
      ['profile std: changed, and HAProxy reads profiles only at start'],
    ],
  };
  it.each(Object.entries(cases))('reloads for %s', (_name, [after, reasons]) => {
    expect(decide(base, after)).toMatchObject({ verdict: 'reload', mode: 'reload', batches: [], reasons });
  });

  it('lets a profile go that nobody uses any more', () => {
    const before = { ...base, profiles: { std: [], alt: ['timeout server 9s'] } };
    const after = { ...base, profiles: { std: [] } };
    expect(decide(before, after)).toMatchObject({ verdict: 'file_only', changedFiles: ['haproxy.cfg'] });
  });

  it('lets a profile go together with its last backend', () => {
    const before = {
      ...base,
      profiles: { std: [], zed: [] },
      backends: { ...base.backends, old: { profile: 'zed', servers: [podOne] } },
    };
    const decision = decide(before, { ...base, profiles: { std: [] } });
    expect(decision.verdict).toBe('runtime');
    expect(decision.batches.flat().map(({ kind }) => kind)).toEqual([
      'backend_unpublish',
      'server_disable',
      'server_del',
      'backend_del',
    ]);
  });

  it('keeps a profile that a backend without one of its own may inherit from', () => {
    const before = { ...base, profiles: { std: [], zed: [] }, backends: { plain: { profile: '' } } };
    const after = { ...before, profiles: { std: [] } };
    expect(decide(before, after).reasons).toEqual([
      'profile zed: removed, and sections after it may inherit from it by position',
    ]);
  });

  it('lets a profile come back that the worker has read, as it read it', () => {
    const text = ['timeout server 9s'];
    const after = { ...base, profiles: { ...base.profiles, alt: text } };
    const loadedProfiles = makePlan(after).profiles;
    expect(diff(makePlan(after), { ...baselineOf(makePlan(base)), loadedProfiles }).verdict).toBe(
      'file_only',
    );
    const other = makePlan({ ...base, profiles: { ...base.profiles, alt: ['timeout server 8s'] } });
    expect(diff(other, { ...baselineOf(makePlan(base)), loadedProfiles }).reasons).toEqual([
      'profile alt: new, and HAProxy reads profiles only at start',
    ]);
  });

  it.each([
    ['listen own', 'reload'],
    ['"backend" own', 'reload'],
    ['frontend web2 from std', 'file_only'],
    ['userlist people', 'file_only'],
    ['', 'file_only'],
  ])('lets a profile go before %j: %s', (line, verdict) => {
    const planOf = (sketch: Sketch) => {
      const plan = makePlan(sketch);
      const own: Section = { kind: 'core', name: 'own', text: `${line}\n`, template: 'own:1:1' };
      const rank = ({ kind, name }: Section) => (name === 'own' ? 2 : kind === 'core' ? 0 : 1);
      const sections = [...valuesOf(plan.sections), own]
        .map((section) => [`${rank(section)} ${section.name}`, section] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      return { ...plan, sections: orderedMapFrom(sections) };
    };
    const after = { ...base, backends: {} };
    const before = { ...after, profiles: { ...base.profiles, zed: [] } };
    expect(diff(planOf(after), baselineOf(planOf(before))).verdict).toBe(verdict);
  });

  it('refuses to let a profile go that is still in use', () => {
    expect(decide(base, { ...base, profiles: {} }).reasons).toContain(
      'profile std: removed, but backend shop uses it',
    );
  });

  it('does not reload when core sections only got other positions', () => {
    const plan = makePlan(base);
    const sections = orderedMapFrom(
      [...valuesOf(plan.sections)].map((section, at) => [`x${at}`, section] as const),
    );
    expect(diff(createPlan({ ...plan, sections }), baselineOf(plan)).verdict).toBe('noop');
  });

  it('reloads when core sections changed places', () => {
    const plan = makePlan(base);
    const [global, http, ...rest] = [...valuesOf(plan.sections)];
    const sections = orderedMapFrom(
      [http!, global!, ...rest].map((section, at) => [`x${at}`, section] as const),
    );
    const decision = diff(createPlan({ ...plan, sections }), baselineOf(plan));
    expect(decision.reasons[0]).toMatch(
      /^haproxy\.cfg: the order of sections changed at section (global|http)$/,
    );
  });

  it('reloads for a section that changed with no record of it', () => {
    const plan = makePlan(base);
    const section = getEntry(plan.sections, '3 shop')!;
    const sections = editOrderedMap(plan.sections, [
      ['3 shop', { ...section, text: `${section.text}  retries 9\n` }],
    ]);
    expect(diff(createPlan({ ...plan, sections }), baselineOf(plan)).reasons).toEqual([
      'backend shop: its text changed with no record that explains it',
    ]);
  });

  it('reloads for a config file that changed with no section explaining it', () => {
    const plan = makePlan(base);
    const file = getEntry(plan.files, 'haproxy.cfg')!;
    const files = editOrderedMap(plan.files, [['haproxy.cfg', { ...file, digest: '0'.repeat(16) }]]);
    expect(diff(createPlan({ ...plan, files }), baselineOf(plan)).reasons).toEqual([
      'config haproxy.cfg: changed with no section explaining it',
    ]);
  });
});

describe('diff of backends', () => {
  const withCart = (cart: BackendSketch): Sketch => ({ ...base, backends: { ...base.backends, cart } });

  it('adds a backend on 3.4: added and filled, published, then routed to (R2)', () => {
    const after: Sketch = {
      ...withCart({ guid: 'be:cart', servers: [{ ...podOne, weight: 3, extra: [keyword('check')] }] }),
      maps: { 'maps/path.map': { entries: [['/a', 'cart']] } },
    };
    const decision = decide(base, after);
    expect(decision).toMatchObject({
      verdict: 'runtime',
      mode: 'auto',
      reasons: [],
      changedFiles: ['haproxy.cfg', 'maps/path.map'],
    });
    expect(decision.batches).toEqual([
      [
        { kind: 'backend_add', backend: 'cart', profile: 'std', mode: 'http', guid: 'be:cart' },
        {
          kind: 'server_add',
          backend: 'cart',
          server: 'pod-1',
          address: '10.0.0.1',
          port: 80,
          keywords: [keyword('check'), keyword('weight', '3'), keyword('init-state', 'up')],
        },
        { kind: 'server_enable', backend: 'cart', server: 'pod-1', health: true },
        { kind: 'backend_publish', backend: 'cart' },
        { kind: 'map_set', path: 'maps/path.map', key: '/a', value: 'cart' },
      ],
    ]);
  });

  it('removes a backend on 3.4: no more routed to, unpublished, emptied, deleted (R3)', () => {
    const before: Sketch = {
      ...withCart({ servers: [podOne] }),
      maps: { 'maps/path.map': { entries: [['/a', 'shop'], ['/c', 'cart']] } }, // prettier-ignore
    };
    expect(decide(before, base).batches).toEqual([
      [
        { kind: 'map_del', path: 'maps/path.map', key: '/c' },
        { kind: 'backend_unpublish', backend: 'cart' },
        { kind: 'server_disable', backend: 'cart', server: 'pod-1' },
        { kind: 'server_del', backend: 'cart', server: 'pod-1', keywords: [] },
        { kind: 'backend_del', backend: 'cart', profile: 'std', mode: 'http' },
      ],
    ]);
  });

  it.each(['2.6', '3.0', '3.2'])('reloads for new and removed backends on %s', (version) => {
    const cart = withCart({ servers: [podOne] });
    expect(decide(base, cart, version).reasons).toEqual([
      `backend cart: new, and HAProxy ${version} cannot add backends at runtime`,
    ]);
    expect(decide(cart, base, version).reasons).toEqual([
      `backend cart: removed, and HAProxy ${version} cannot delete backends at runtime`,
    ]);
  });

  const additions: Readonly<Record<string, [BackendSketch, string]>> = {
    'a body': [{ body: ['stick on src'] }, 'its body has "stick on src"'],
    'no profile': [{ profile: '' }, 'the worker has no profile ""'],
    'a balance that is not its profile’s': [
      { balance: 'leastconn' },
      'its own "balance" is not that of profile std',
    ],
    'a hash-type that is not its profile’s': [
      { hashType: 'consistent' },
      'its own "hash-type" is not that of profile std',
    ],
    'a server that cannot be added': [
      { servers: [{ ...podOne, extra: [keyword('resolvers', 'dns')] }] },
      'server pod-1: keyword "resolvers" is not for servers added at runtime on HAProxy 3.4',
    ],
    'a server whose limit follows the load of the backend': [
      { servers: [{ ...podOne, extra: [keyword('minconn', '2')] }] },
      'server pod-1: "minconn" goes by "fullconn", which HAProxy computes only at start',
    ],
  };
  it.each(Object.entries(additions))('reloads for a new backend with %s', (_name, [cart, reason]) => {
    expect(decide(base, withCart(cart)).reasons).toEqual([`backend cart: new, and ${reason}`]);
  });

  it('takes a balance that is its profile’s, as a comment on it does not count', () => {
    const profiles = { std: ['balance leastconn # few long requests'] };
    const decision = decide({ ...base, profiles }, { ...withCart({ balance: 'leastconn' }), profiles });
    expect(decision.verdict).toBe('runtime');
  });

  it('reloads when a backend with a body goes', () => {
    expect(decide(withCart({ body: ['stick on src'] }), base).reasons).toEqual([
      'backend cart: removed, and its body has "stick on src"',
    ]);
  });

  const alterations: Readonly<Record<string, [BackendSketch, string]>> = {
    mode: [{ mode: 'tcp' }, 'backend shop: "mode" changed, which HAProxy cannot alter at runtime'],
    guid: [{ guid: 'x' }, 'backend shop: "guid" changed, which HAProxy cannot alter at runtime'],
    balance: [
      { balance: 'leastconn' },
      'backend shop: "balance" changed, which HAProxy cannot alter at runtime',
    ],
    'hash-type': [
      { hashType: 'consistent' },
      'backend shop: "hash-type" changed, which HAProxy cannot alter at runtime',
    ],
    profile: [{ profile: 'alt' }, 'backend shop: "profile" changed, which HAProxy cannot alter at runtime'],
    'default-server': [
      { defaultServer: [keyword('check')] },
      'backend shop: "default-server" changed, which HAProxy cannot alter at runtime',
    ],
    body: [{ body: ['retries 9'] }, 'backend shop: its body changed (its body has "retries 9")'],
  };
  it.each(Object.entries(alterations))(
    'reloads when %s of a backend changes (R4)',
    (_name, [shop, reason]) => {
      const profiles = { std: [], alt: [] };
      const decision = decide(
        { ...base, profiles },
        { ...withShop({ servers: [podOne, podTwo], ...shop }), profiles },
      );
      expect(decision.reasons).toEqual([reason]);
    },
  );

  it('does nothing at runtime for a comment', () => {
    const decision = decide(base, withShop({ servers: [podOne, podTwo], comment: 'of team shop' }));
    expect(decision).toMatchObject({ verdict: 'file_only', batches: [], changedFiles: ['haproxy.cfg'] });
  });

  it('reloads for text that no field of the record explains', () => {
    const plan = makePlan(base);
    const shop = getEntry(plan.backends, 'shop')!;
    const text = `${shop.text}  retries 9\n`;
    const next = createPlan({
      ...plan,
      backends: editOrderedMap(plan.backends, [['shop', { ...shop, text }]]),
      sections: editOrderedMap(plan.sections, [['3 shop', { ...getEntry(plan.sections, '3 shop')!, text }]]),
    });
    expect(diff(next, baselineOf(plan)).reasons).toEqual(['backend shop: unexplained text change']);
  });
});

describe('diff of servers (R4)', () => {
  /** What 2.6 has to be told about connections kept for reuse: it gives servers of a file these, and added ones none. */
  const poolOn = (version: string) =>
    version === '2.6' ? [keyword('pool-purge-delay', '5s'), keyword('pool-max-conn', '-1')] : [];

  it.each(['2.6', '3.0', '3.2', '3.4'])(
    'replaces a server without a reload on %s: the new one first',
    (version) => {
      const decision = decide(withShop({ servers: [podOne] }), withShop({ servers: [podTwo] }), version);
      expect(decision.batches).toEqual([
        [
          {
            kind: 'server_add',
            backend: 'shop',
            server: 'pod-2',
            address: '10.0.0.2',
            port: 80,
            keywords: poolOn(version),
          },
          { kind: 'server_enable', backend: 'shop', server: 'pod-2' },
          { kind: 'server_disable', backend: 'shop', server: 'pod-1' },
          { kind: 'server_del', backend: 'shop', server: 'pod-1', keywords: poolOn(version) },
        ],
      ]);
    },
  );

  const one = (change: Partial<ServerSketch>) => withShop({ servers: [{ ...podOne, ...change }] });
  const server = { backend: 'shop', server: 'pod-1' };

  const changes: Readonly<Record<string, [Partial<ServerSketch>, Partial<ServerSketch>, readonly object[]]>> =
    {
      'another address': [
        {},
        { address: '2001:db8::7', port: 8080 },
        [{ kind: 'server_set_addr', ...server, address: '2001:db8::7', port: 8080 }],
      ],
      'another weight': [{ weight: 1 }, { weight: 5 }, [{ kind: 'server_set_weight', ...server, weight: 5 }]],
      'a drain': [{ weight: 100 }, { weight: 0 }, [{ kind: 'server_set_weight', ...server, weight: 0 }]],
      'a dropped weight': [{ weight: 5 }, {}, [{ kind: 'server_set_weight', ...server, weight: 1 }]],
      'a weight that says what held anyway': [{}, { weight: 1 }, []],
      maintenance: [{}, { disabled: true }, [{ kind: 'server_disable', ...server }]],
      'the end of maintenance': [{ disabled: true }, {}, [{ kind: 'server_enable', ...server }]],
      'the end of maintenance of a checked server': [
        { disabled: true, extra: [keyword('check')] },
        { extra: [keyword('check')] },
        [{ kind: 'server_enable', ...server, health: true }],
      ],
      'a server that was not disabled, said otherwise': [{ disabled: false }, {}, []],
    };
  it.each(Object.entries(changes))('changes a server in place: %s', (_name, [before, after, operations]) => {
    expect(decide(one(before), one(after), '2.6').batches.flat()).toEqual(operations);
  });

  it('enables before it drains, so that capacity never dips', () => {
    const before = withShop({ servers: [{ ...podOne }, { ...podTwo, disabled: true }] });
    const after = withShop({ servers: [{ ...podOne, weight: 0 }, podTwo] });
    expect(
      decide(before, after)
        .batches.flat()
        .map(({ kind }) => kind),
    ).toEqual(['server_enable', 'server_set_weight']);
  });

  it('leaves an added server in maintenance when it is disabled', () => {
    const after = withShop({ servers: [podOne, podTwo, { ...podOne, name: 'pod-3', disabled: true }] });
    expect(
      decide(base, after)
        .batches.flat()
        .map(({ kind }) => kind),
    ).toEqual(['server_add']);
  });

  it('leaves the pool of an added server as it is said to be, on 2.6 too', () => {
    const own = [keyword('pool-max-conn', '3'), keyword('pool-purge-delay', '1s')];
    const after = withShop({ servers: [podOne, podTwo, { ...podOne, name: 'pod-3', extra: own }] });
    expect(decide(base, after, '2.6').batches.flat()[0]).toMatchObject({ keywords: own });
  });

  it('gives an added server what default-server says, and its own keywords over it', () => {
    const profiles = { std: ['default-server check inter 5s maxconn 9'] };
    const defaultServer = [keyword('inter', '2s')];
    const added = { ...podTwo, guid: 'srv:2', extra: [keyword('maxconn', '7')] };
    const before = { ...withShop({ servers: [podOne], defaultServer }), profiles };
    const after = { ...withShop({ servers: [podOne, added], defaultServer }), profiles };
    const keywords = [keyword('check'), keyword('inter', '2s'), keyword('maxconn', '7')];
    const guid = keyword('guid', 'srv:2');
    const initState = keyword('init-state', 'up');
    const enable = { kind: 'server_enable', backend: 'shop', server: 'pod-2', health: true };
    for (const [version, all] of [
      ['2.6', [...keywords, ...poolOn('2.6')]],
      ['3.0', [...keywords, guid]],
      ['3.2', [...keywords, guid, initState]],
    ] as const)
      expect(decide(before, after, version).batches.flat()).toEqual([
        {
          kind: 'server_add',
          backend: 'shop',
          server: 'pod-2',
          address: '10.0.0.2',
          port: 80,
          keywords: all,
        },
        enable,
      ]);
  });

  describe('a check of an added server speaks as those of a file do', () => {
    const checkOf = (...extra: readonly ReturnType<typeof keyword>[]) => {
      const after = withShop({ servers: [podOne, { ...podTwo, extra: [keyword('check'), ...extra] }] });
      const [add] = decide(withShop({ servers: [podOne] }), after, '3.0').batches.flat();
      return add?.kind === 'server_add'
        ? add.keywords.map(({ name }) => name).filter((name) => name.startsWith('check-'))
        : undefined;
    };

    it('through TLS to a server with TLS', () => {
      expect(checkOf(keyword('ssl'), keyword('verify', 'none'))).toEqual(['check-ssl']);
    });

    it.each(['send-proxy', 'send-proxy-v2', 'send-proxy-v2-ssl', 'send-proxy-v2-ssl-cn'])(
      'with a header of the PROXY protocol to a server with %s',
      (name) => {
        expect(checkOf(keyword(name))).toEqual(['check-send-proxy']);
        expect(checkOf(keyword(name), keyword('ssl'))).toEqual(['check-ssl', 'check-send-proxy']);
      },
    );

    it('once where the server says so itself', () => {
      expect(checkOf(keyword('check-ssl'), keyword('ssl'))).toEqual(['check-ssl']);
      expect(checkOf(keyword('send-proxy'), keyword('check-send-proxy'))).toEqual(['check-send-proxy']);
    });

    it.each([keyword('port', '81'), keyword('addr', '10.0.0.9')])(
      'in plain text where it goes elsewhere: %o',
      (elsewhere) => {
        expect(checkOf(keyword('ssl'), keyword('send-proxy'), elsewhere)).toEqual([]);
      },
    );
  });

  const refusals: Readonly<Record<string, [BackendSketch, BackendSketch, string]>> = {
    'a changed keyword': [
      { servers: [{ ...podOne, extra: [keyword('inter', '1s')] }] },
      { servers: [{ ...podOne, extra: [keyword('inter', '2s')] }] },
      'keyword "inter" changed, which HAProxy cannot alter at runtime',
    ],
    'a new flag': [
      { servers: [podOne] },
      { servers: [{ ...podOne, extra: [keyword('backup')] }] },
      'keyword "backup" changed, which HAProxy cannot alter at runtime',
    ],
    'a changed guid': [
      { servers: [podOne] },
      { servers: [{ ...podOne, guid: 'x' }] },
      '"guid" changed, which HAProxy cannot alter at runtime',
    ],
    'a host name for an address': [
      { servers: [podOne] },
      { servers: [{ ...podOne, address: 'db.example.com' }] },
      'moved, and its address "db.example.com" is no literal IP address',
    ],
    'an impossible port': [
      { servers: [] },
      { servers: [{ ...podOne, port: 0 }] },
      'new, and its port 0 is out of range',
    ],
    'a weight under a fixed table': [
      { balance: 'static-rr', servers: [{ ...podOne, weight: 1 }] },
      { balance: 'static-rr', servers: [{ ...podOne, weight: 2 }] },
      '"weight" changed, and "balance static-rr" does not follow it at runtime',
    ],
    'a new server under a fixed table': [
      { balance: 'source', servers: [] },
      { balance: 'source', servers: [podOne] },
      'new, and "balance source" takes no servers at runtime',
    ],
    'a name that would end the command': [
      { servers: [] },
      { servers: [{ ...podOne, name: 'a;quit' }] },
      'new, and its name cannot stand in a runtime command',
    ],
    'a certificate that is not loaded': [
      { servers: [] },
      { servers: [{ ...podOne, extra: [keyword('crt', 'certs/x.pem')] }] },
      'new, and its keyword "crt": certs/x.pem is a file that the worker has not loaded',
    ],
    'a keyword with blanks in its argument': [
      { servers: [] },
      { servers: [{ ...podOne, extra: [keyword('sni', 'str(a b)')] }] },
      'new, and the argument of keyword "sni" cannot stand in a runtime command',
    ],
  };
  it.each(Object.entries(refusals))('reloads for %s', (_name, [before, after, reason]) => {
    const decision = decide(withShop(before), withShop(after));
    const name = after.servers?.[0]?.name ?? '';
    expect(decision.reasons).toEqual([`backend shop: server ${name}: ${reason}`]);
  });

  it('takes new servers under a consistent hash, be it the backend’s or its profile’s', () => {
    const shop = (servers: ServerSketch[]) =>
      withShop({ balance: 'uri whole', hashType: 'consistent djb2', servers });
    expect(decide(shop([podOne]), shop([podOne, podTwo])).verdict).toBe('runtime');
    const profiles = { std: ['balance source', 'hash-type consistent'] };
    const inherited = (servers: ServerSketch[]) => ({ ...withShop({ servers }), profiles });
    expect(decide(inherited([podOne]), inherited([podOne, podTwo])).verdict).toBe('runtime');
  });

  it('takes a drain under a fixed table, as HAProxy does', () => {
    const shop = (weight: number) => withShop({ balance: 'source', servers: [{ ...podOne, weight }] });
    expect(decide(shop(5), shop(0)).verdict).toBe('runtime');
  });

  it('minds the order of servers under "balance first" only', () => {
    const shop = (balance: string, servers: ServerSketch[]) => withShop({ balance, servers });
    expect(decide(shop('roundrobin', [podOne, podTwo]), shop('roundrobin', [podTwo, podOne])).verdict).toBe(
      'file_only',
    );
    expect(decide(shop('first', [podOne, podTwo]), shop('first', [podTwo, podOne])).reasons).toEqual([
      'backend shop: "balance first" follows the order of servers, which changed',
    ]);
    expect(decide(shop('first', [podOne]), shop('first', [podOne, podTwo])).verdict).toBe('runtime');
  });

  it('cannot add a server whose profile has default-server words it does not know', () => {
    const profiles = { std: ['default-server resolvers dns'] };
    const before = { ...withShop({ servers: [podOne] }), profiles };
    expect(decide(before, { ...base, profiles }).reasons).toEqual([
      'backend shop: server pod-2: new, and "default-server" of profile std has keywords that cannot be given at runtime',
    ]);
  });

  it('follows the profile’s own profile', () => {
    const profiles = { std: ['balance leastconn'], child: [] };
    const plan = makePlan({ ...base, profiles, backends: { shop: { profile: 'child', servers: [podOne] } } });
    const child = { name: 'child', hasRules: false, text: 'defaults child from std\n' };
    const parts = { ...plan, profiles: editOrderedMap(plan.profiles, [['child', child]]) };
    const after = makePlan({
      ...base,
      profiles,
      backends: {
        shop: { profile: 'child', servers: [podOne] },
        cart: { profile: 'child', balance: 'leastconn' },
      },
    });
    const next = createPlan({ ...after, profiles: parts.profiles });
    expect(diff(next, baselineOf(createPlan(parts))).verdict).toBe('runtime');
  });
});

describe('diff of maps (R5)', () => {
  const path = 'maps/path.map';
  const list = (...entries: [string, string][]): MapSketch => ({ entries });
  const rules = (...entries: [string, string][]): MapSketch => ({ ordered: true, entries });

  const cases: Readonly<Record<string, [MapSketch, MapSketch, readonly object[]]>> = {
    'a new key': [
      list(['/a', 'x']),
      list(['/a', 'x'], ['/0', 'y']),
      [{ kind: 'map_add', path, key: '/0', value: 'y' }],
    ],
    'a new key with blanks in its value': [
      list(),
      list(['/a', 'two words']),
      [{ kind: 'map_add', path, key: '/a', value: 'two words' }],
    ],
    'another value': [
      list(['/a', 'x']),
      list(['/a', 'y']),
      [{ kind: 'map_set', path, key: '/a', value: 'y' }],
    ],
    'a gone key': [list(['/a', 'x']), list(), [{ kind: 'map_del', path, key: '/a' }]],
    'additions before deletions': [
      list(['/a', 'x']),
      list(['/b', 'x']),
      [
        { kind: 'map_add', path, key: '/b', value: 'x' },
        { kind: 'map_del', path, key: '/a' },
      ],
    ],
    'another value with blanks': [
      list(['/a', 'x']),
      list(['/a', 'y z']),
      [{ kind: 'map_set', path, key: '/a', value: 'y z' }],
    ],
    'keys that mean something on a command line': [
      list(['^/a\\.b', 'x']),
      list(['^/;<c>', 'x']),
      [
        { kind: 'map_add', path, key: '^/;<c>', value: 'x' },
        { kind: 'map_del', path, key: '^/a\\.b' },
      ],
    ],
    'a key of two words, which the file reads otherwise': [
      list(),
      list(['a b', 'x']),
      [{ kind: 'map_replace', path }],
    ],
    'a key that reads as a comment': [list(), list(['#a', 'x']), [{ kind: 'map_replace', path }]],
    'a gone key that reads as a comment': [list(['#a', 'x']), list(), [{ kind: 'map_replace', path }]],
    'an ordered append': [
      rules(['^/a', 'x']),
      rules(['^/a', 'x'], ['^/0', 'y']),
      [{ kind: 'map_add', path, key: '^/0', value: 'y' }],
    ],
    'an ordered value in place': [
      rules(['^/a', 'x'], ['^/b', 'x']),
      rules(['^/a', 'y'], ['^/b', 'x']),
      [{ kind: 'map_set', path, key: '^/a', value: 'y' }],
    ],
    'an ordered deletion': [
      rules(['^/a', 'x'], ['^/b', 'x'], ['^/c', 'x']),
      rules(['^/a', 'x'], ['^/c', 'x']),
      [{ kind: 'map_del', path, key: '^/b' }],
    ],
    'an ordered deletion with an append': [
      rules(['^/a', 'x'], ['^/b', 'x']),
      rules(['^/b', 'x'], ['^/c', 'x']),
      [
        { kind: 'map_add', path, key: '^/c', value: 'x' },
        { kind: 'map_del', path, key: '^/a' },
      ],
    ],
    'an ordered insertion': [
      rules(['^/a', 'x'], ['^/c', 'x']),
      rules(['^/a', 'x'], ['^/b', 'x'], ['^/c', 'x']),
      [{ kind: 'map_replace', path }],
    ],
    'an ordered swap': [
      rules(['^/a', 'x'], ['^/b', 'x']),
      rules(['^/b', 'x'], ['^/a', 'x']),
      [{ kind: 'map_replace', path }],
    ],
    'a deletion of one of two equal keys': [
      rules(['^/a', 'x'], ['^/a', 'y']),
      rules(['^/a', 'x']),
      [{ kind: 'map_replace', path }],
    ],
    'a key longer than a command': [list(), list(['/'.repeat(5000), 'x']), [{ kind: 'map_replace', path }]],
    'a map that became ordered': [
      list(['/a', 'x']),
      rules(['/a', 'x'], ['/b', 'x']),
      [{ kind: 'map_replace', path }],
    ],
    'a value of one of two equal keys': [
      rules(['^/a', 'x'], ['^/a', 'y']),
      rules(['^/a', 'x'], ['^/a', 'z']),
      [{ kind: 'map_replace', path }],
    ],
    'an append that leaves two equal keys alone': [
      rules(['^/a', 'x'], ['^/a', 'y']),
      rules(['^/a', 'x'], ['^/a', 'y'], ['^/b', 'x']),
      [{ kind: 'map_add', path, key: '^/b', value: 'x' }],
    ],
  };
  it.each(Object.entries(cases))('composes for %s', (_name, [before, after, operations]) => {
    const decision = decide(withMap(before), withMap(after), '2.6');
    expect(decision).toMatchObject({ verdict: 'runtime', changedFiles: [path] });
    expect(decision.batches.flat()).toEqual(operations);
  });

  it.each([
    ['an empty value', ''],
    ['a carriage return amid a value', 'x\ry'],
    ['a value of more than a payload', 'x'.repeat(limits.payloadBytes)],
  ])('reloads for %s, which only a file can hold', (_name, value) => {
    const decision = decide(withMap(list(['/a', 'x'])), withMap(list(['/a', value])));
    expect(decision).toMatchObject({ verdict: 'reload', changedFiles: [path] });
    expect(decision.reasons).toEqual([
      `map ${path}: changed, and its entry "/a" cannot be said in a runtime command`,
    ]);
  });

  it.each(['a\ttab', 'no-break\u00a0', '\u0001control'])('replaces a map for the value %j', (value) => {
    const decision = decide(withMap(list(['/a', 'x'])), withMap(list(['/a', value])));
    expect(decision.batches.flat().map(({ kind }) => kind)).toHaveLength(1);
    expect(decision.verdict).toBe('runtime');
  });

  it('only writes the file of a map that the worker has not loaded, and says so', () => {
    const inventory = { ...baselineOf(makePlan(base)).inventory, maps: [] };
    const decision = decide(base, withMap(list(['/b', 'shop'])), '3.4', { inventory });
    expect(decision).toMatchObject({ verdict: 'file_only', changedFiles: [path] });
    expect(decision.notes).toEqual([`map ${path}: changed, but not loaded by the worker`]);
  });

  it('reloads when a loaded map goes', () => {
    const decision = decide(base, { ...base, maps: {} });
    expect(decision.reasons).toEqual([`map ${path}: removed, but the worker has it loaded`]);
    expect(decision.removedFiles).toEqual([path]);
  });

  it('replaces a map as a whole where single changes would not fit one batch', () => {
    const entries = Array.from({ length: limits.operationsPerBatch + 1 }, (_, n): [string, string] => [
      `/${n}`,
      'shop',
    ]);
    expect(decide(withMap(list()), withMap({ entries })).batches).toEqual([[{ kind: 'map_replace', path }]]);
  });

  it('leads requests to a backend once all is said of them in other maps, and no longer than that', () => {
    const withDenials = (routes: MapSketch, denials: MapSketch): Sketch => ({
      ...base,
      maps: { 'maps/a-routes.map': routes, 'maps/denials.map': denials },
    });
    const without = withDenials(list(['/', 'shop']), list(['other', 'yes']));
    const along = withDenials(
      list(['/', 'shop'], ['/b', 'shop/rule']),
      list(['other', 'yes'], ['rule', 'yes']),
    );
    const route = { path: 'maps/a-routes.map', key: '/b' };
    const denial = { path: 'maps/denials.map', key: 'rule' };
    expect(decide(without, along).batches.flat()).toEqual([
      { kind: 'map_add', ...denial, value: 'yes' },
      { kind: 'map_add', ...route, value: 'shop/rule' },
    ]);
    expect(decide(along, without).batches.flat()).toEqual([
      { kind: 'map_del', ...route },
      { kind: 'map_del', ...denial },
    ]);
    const many = list(
      ['other', 'yes'],
      ['rule', 'yes'],
      ...Array.from({ length: limits.operationsPerBatch }, (_, n): [string, string] => [`n${n}`, 'yes']),
    );
    expect(decide(without, withDenials(along.maps!['maps/a-routes.map']!, many)).batches.flat()).toEqual([
      { kind: 'map_replace', path: denial.path },
      { kind: 'map_add', ...route, value: 'shop/rule' },
    ]);
  });

  it('leaves maps alone when anything else needs a reload', () => {
    const after = {
      ...withMap(list(['/b', 'shop'])),
      core: { ...base.core, global: 'global\n  maxconn 1\n' },
    };
    expect(decide(base, after)).toMatchObject({ verdict: 'reload', batches: [] });
  });
});

describe('diff of files (R6, R7)', () => {
  const withFile = (text: string, kind: 'general', reloadOnChange = true) => ({
    ...base,
    files: { 'files/f': { text, kind, reloadOnChange } },
  });

  it('reloads for a file that is read at start, and not for others', () => {
    expect(decide(withFile('a', 'general'), withFile('b', 'general')).reasons).toEqual([
      'file files/f: changed, and declared as read at start',
    ]);
    expect(decide(withFile('a', 'general', false), withFile('b', 'general', false))).toMatchObject({
      verdict: 'file_only',
      changedFiles: ['files/f'],
      notes: ['file files/f: changed'],
    });
  });

  it('tells new and removed files', () => {
    const without = { ...base, files: {} };
    expect(decide(without, withFile('a', 'general')).reasons).toEqual([
      'file files/f: new, and declared as read at start',
    ]);
    expect(decide(withFile('a', 'general'), without).reasons).toEqual([
      'file files/f: removed, and declared as read at start',
    ]);
    expect(decide(withFile('a', 'general', false), without)).toMatchObject({
      verdict: 'file_only',
      removedFiles: ['files/f'],
    });
  });
});

describe('diff within limits (R8)', () => {
  const many = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => ({ name: `s${from + n}`, address: '10.0.0.1', port: 80 }));

  it('cuts operations into batches', () => {
    const decision = decide(withShop({}), withShop({ servers: many(1200) }));
    expect(decision.batches.map((batch) => batch.length)).toEqual([1000, 1000, 400]);
  });

  it('reloads when there are more operations than one apply takes', () => {
    expect(decide(withShop({}), withShop({ servers: many(4001) })).reasons).toEqual([
      '8002 runtime operations are more than the 8000 of one apply',
    ]);
  });

  it('reloads when more would be deleted at once than a pod keeps track of', () => {
    const pending = { pendingServerDeletes: many(995).map(({ name }) => `old/${name}`) };
    expect(decide(withShop({ servers: many(6) }), withShop({}), '3.4', pending).reasons).toEqual([
      '1001 servers to delete at once are more than 1000',
    ]);
    const backends = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`b${n}`, {}]));
    expect(decide({ ...base, backends }, { ...base, backends: {} }).reasons).toEqual([
      '101 backends to delete at once are more than 100',
    ]);
  });

  it('names every reason up to the limit, and says how many there are besides', () => {
    const core = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`c${n}`, `frontend c${n}\n`]));
    const { reasons } = decide(base, { ...base, core: { ...base.core, ...core } });
    expect(reasons).toHaveLength(limits.reasons);
    expect(reasons.at(-1)).toBe('and 9 more');
  });

  it('names reasons of several kinds together', () => {
    const after = {
      ...withShop({ balance: 'leastconn', servers: [podOne] }),
      profiles: { std: ['timeout server 9s'] },
    };
    expect(decide(base, after).reasons).toEqual([
      'backend shop: "balance" changed, which HAProxy cannot alter at runtime',
      'profile std: changed, and HAProxy reads profiles only at start',
    ]);
  });
});
