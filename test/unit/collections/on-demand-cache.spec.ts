import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { createOnDemandCache, type Arrival, type Want } from '../../../src/collections/on-demand-cache.ts';

interface Thing {
  readonly name: string;
  readonly version: string;
}

function setUp({ max = 2, ttl = 100 } = {}) {
  const graph = createGraph();
  const arrivals = graph.source<Arrival>('arrivals');
  let time = 1;
  const cache = createOnDemandCache<Thing>(arrivals, {
    max,
    ttl,
    now: () => time,
    versionOf: ({ version }) => version,
  });
  const wants: Want[] = [];
  cache.wanted$.subscribe((want) => wants.push(want));
  let settled = 0;
  cache.settled$.subscribe(() => settled++);
  return {
    cache,
    wants,
    graph,
    settled: () => settled,
    pass: (ms: number) => void (time += ms),
    arrive: (key: string, version = '1') => {
      cache.want(key, version);
      cache.arrived(wants.at(-1)!, { name: key, version });
    },
    told: (key: string) => {
      graph.advance();
      return arrivals.peek(key);
    },
  };
}

describe('createOnDemandCache', () => {
  it('says what is wanted once, until it was read', () => {
    const { cache, wants, told } = setUp();
    cache.want('a', '1');
    cache.want('a', '1');
    cache.want('b', '1');
    expect(wants).toStrictEqual([
      { key: 'a', version: '1', failures: 0 },
      { key: 'b', version: '1', failures: 0 },
    ]);
    expect(cache.look('a', '1')).toBeUndefined();
    cache.arrived(wants[0]!, { name: 'a', version: '1' });
    expect(told('a')).toStrictEqual({ kind: 'here', attempt: 1 });
    expect(cache.look('a', '1')).toStrictEqual({ isFresh: true, value: { name: 'a', version: '1' } });
    cache.want('a', '2');
    expect(wants).toHaveLength(3);
  });

  it('tells a late fetcher what is outstanding', () => {
    const { cache } = setUp();
    cache.want('a', '1');
    const late: string[] = [];
    cache.wanted$.subscribe(({ key }) => late.push(key));
    cache.want('b', '1');
    expect(late).toStrictEqual(['a', 'b']);
  });

  it('gives the object of a former version as stale, and takes a newer one than the watch knows for fresh', () => {
    const { cache, wants } = setUp();
    cache.want('a', '1');
    cache.arrived(wants[0]!, { name: 'a', version: '3' });
    expect(cache.look('a', '1')?.isFresh).toBe(true);
    expect(cache.look('a', '2')?.isFresh).toBe(false);
    expect(cache.look('a', '3')?.isFresh).toBe(true);
  });

  it('holds what was used within its bound, least recently used first', () => {
    const { cache, arrive } = setUp({ max: 2 });
    for (const key of ['a', 'b', 'c']) {
      arrive(key);
      cache.used([key]);
      cache.expire();
      cache.look('a', '1');
    }
    expect(cache.size).toBe(2);
    expect(cache.look('b', '1')).toBeUndefined();
    expect(cache.look('a', '1')).toBeDefined();
    expect(cache.look('c', '1')).toBeDefined();
  });

  it('holds what nobody has used yet besides, so that one reader of many gets them all', () => {
    const { cache, arrive } = setUp({ max: 1 });
    for (const key of ['a', 'b', 'c']) arrive(key);
    expect(['a', 'b', 'c'].every((key) => cache.look(key, '1') !== undefined)).toBe(true);
    cache.used(['a', 'b', 'c']);
    expect(cache.size).toBe(3);
    cache.expire();
    expect(cache.size).toBe(1);
  });

  it('lets go what nobody asked for in time, used or not, and tells nobody', () => {
    const { cache, arrive, pass, told } = setUp({ ttl: 100 });
    arrive('a');
    arrive('b');
    cache.used(['a']);
    pass(80);
    cache.look('a', '1');
    pass(80);
    cache.expire();
    expect(cache.look('b', '1')).toBeUndefined();
    expect(cache.look('a', '1')).toBeDefined();
    pass(101);
    cache.expire();
    expect(cache.size).toBe(0);
    expect(told('a')).toStrictEqual({ kind: 'here', attempt: 1 });
  });

  it('does not give what is past its time, also between two clean-ups', () => {
    const { cache, arrive, pass } = setUp({ ttl: 100 });
    arrive('a');
    cache.used(['a']);
    cache.expire();
    pass(101);
    expect(cache.look('a', '1')).toBeUndefined();
  });

  it('holds without a time limit when the time to live is 0', () => {
    const { cache, arrive, pass } = setUp({ ttl: 0 });
    arrive('a');
    arrive('b');
    cache.used(['a']);
    pass(1e9);
    cache.expire();
    expect(cache.size).toBe(2);
  });

  it('counts failures until an attempt succeeds, and tells each', () => {
    const { cache, wants, told } = setUp();
    cache.want('a', '1');
    cache.failed(wants[0]!, 'no');
    expect(told('a')).toStrictEqual({ kind: 'failed', attempt: 1, message: 'no' });
    cache.want('a', '1');
    cache.failed(wants[1]!, 'no');
    expect(told('a')).toStrictEqual({ kind: 'failed', attempt: 2, message: 'no' });
    cache.want('a', '1');
    expect(wants.map(({ failures }) => failures)).toStrictEqual([0, 1, 2]);
    cache.arrived(wants[2]!, { name: 'a', version: '1' });
    cache.want('a', '2');
    expect(wants[3]!.failures).toBe(0);
  });

  it('keeps the last object when a newer version cannot be read', () => {
    const { cache, wants, arrive } = setUp();
    arrive('a', '1');
    cache.used(['a']);
    cache.want('a', '2');
    cache.failed(wants.at(-1)!, 'no');
    expect(cache.look('a', '2')).toStrictEqual({ isFresh: false, value: { name: 'a', version: '1' } });
  });

  it('is settled when everything was tried that is wanted for the first time', () => {
    const { cache, wants, settled } = setUp();
    cache.want('a', '1');
    cache.want('b', '1');
    cache.want('c', '1');
    expect(cache.waiting).toBe(3);
    cache.arrived(wants[0]!, { name: 'a', version: '1' });
    cache.failed(wants[1]!, 'no');
    expect([cache.waiting, settled()]).toStrictEqual([1, 0]);
    cache.gone(wants[2]!);
    expect([cache.waiting, settled()]).toStrictEqual([0, 1]);
    cache.want('b', '1');
    expect(cache.waiting).toBe(0);
  });

  it('is settled when what it waits for does not exist any more', () => {
    const { cache, settled } = setUp();
    cache.want('a', '1');
    cache.forget('a');
    expect([cache.waiting, settled()]).toStrictEqual([0, 1]);
  });

  it('forgets what is gone, and says that nobody can want it', () => {
    const { cache, arrive, told, wants } = setUp();
    const dropped: string[] = [];
    cache.dropped$.subscribe((key) => dropped.push(key));
    arrive('a');
    arrive('b');
    cache.want('c', '1');
    cache.retain(new Map([['b', 1]]));
    expect(dropped.sort()).toStrictEqual(['a', 'c']);
    expect(cache.look('a', '1')).toBeUndefined();
    expect(cache.look('b', '1')).toBeDefined();
    expect(told('a')).toBeUndefined();
    cache.want('a', '5');
    expect(wants.at(-1)).toStrictEqual({ key: 'a', version: '5', failures: 0 });
  });

  it('holds never more than its bound once everything was used, and gives only what it was given', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.oneof(
      fc.record({ do: fc.constant('arrive' as const), key, version: fc.constantFrom('1', '2') }),
      fc.record({ do: fc.constant('used' as const), key }),
      fc.record({ do: fc.constant('forget' as const), key }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.nat(150) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), (steps, max) => {
        const { cache, arrive, pass } = setUp({ max });
        const given = new Map<string, string>();
        for (const one of steps) {
          if (one.do === 'arrive') {
            arrive(one.key, one.version);
            given.set(one.key, one.version);
          } else if (one.do === 'used') cache.used([one.key]);
          else if (one.do === 'forget') {
            cache.forget(one.key);
            given.delete(one.key);
          } else {
            pass(one.ms);
            cache.expire();
          }
          for (const name of ['a', 'b', 'c', 'd', 'e']) {
            const held = cache.look(name, undefined)?.value;
            if (held !== undefined) expect(held).toStrictEqual({ name, version: given.get(name) });
          }
        }
        cache.used(given.keys());
        cache.expire();
        expect(cache.size).toBeLessThanOrEqual(max);
      }),
    );
  });
});
