import { beforeAll, describe, expect, it } from 'vitest';
import { diff } from '../../../src/plan/diff.ts';
import { laterNamesake } from '../../../src/plan/later-namesake.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan, type CrtListEntrySketch } from '../../fixtures/make-plan.ts';
import { createTlsPool, type TlsPool } from '../../fixtures/oracle/tls-pool.ts';

const list = 'ssl/list.txt';
const one = 'ssl/one.pem';
const two = 'ssl/two.pem';

describe('an entry that a changed certificate would fall behind', () => {
  let pool: TlsPool;
  beforeAll(async () => {
    pool = await createTlsPool();
  });

  /** Leaves 2 and 3 are for a.example, 8 is for b.example and c.example, all with ECDSA; 0 is for a.example with RSA. */
  const plan = (entries: readonly CrtListEntrySketch[], leaves: Readonly<Record<string, number>>) =>
    makePlan({
      crtLists: { [list]: entries },
      files: Object.fromEntries(
        Object.entries(leaves).map(([path, leaf]) => {
          const { cert, key } = pool.leaves[leaf]!;
          return [path, { kind: 'cert' as const, text: `${cert}\n${key}\n` }];
        }),
      ),
    });
  const named = (certificate: string, ...sniFilters: string[]) => ({ certificate, sniFilters });

  it.each<[string, readonly CrtListEntrySketch[], string | undefined]>([
    ['one with the same filter', [named(one, 'x.test'), named(two, 'y.test', 'X.test')], 'x.test'],
    ['one with other filters', [named(one, 'x.test'), named(two, 'y.test')], undefined],
    ['one before it', [named(two, 'x.test'), named(one, 'x.test')], undefined],
    ['a negation', [named(one, '*.test'), named(two, 'y.test', '!*.test')], undefined],
    ['no host at all', [named(one, '!*'), two], undefined],
    ['its own second entry', [named(one, 'x.test'), named(one, 'x.test')], 'x.test'],
    ['a filter for a name in the certificate', [one, named(two, 'a.example')], 'a.example'],
    ['a filter for no name in the certificate', [one, named(two, 'b.example')], undefined],
    ['a certificate for other names', [one, two], undefined],
    ['a certificate for its filter', [named(one, 'c.example'), two], 'c.example'],
  ])('%s', (_what, entries, name) => {
    expect(laterNamesake(plan(entries, { [one]: 2, [two]: 8 }), one)?.name).toBe(name);
  });

  it('is none whose key is of another type: clients are shown one or the other whatever the order', () => {
    const entries = [named(one, 'x.test'), named(two, 'x.test')];
    expect(laterNamesake(plan(entries, { [one]: 0, [two]: 2 }), one)).toBeUndefined();
    expect(laterNamesake(plan([one, two], { [one]: 2, [two]: 0 }), one)).toBeUndefined();
    expect(laterNamesake(plan(entries, { [one]: 0, [two]: 1 }), one)).toMatchObject({ certificate: two });
  });

  it('is any other, where the names of the certificate are not known', () => {
    const broken = makePlan({
      crtLists: { [list]: [one, named(two, 'b.example')] },
      files: { [one]: { kind: 'cert', text: 'no certificate' }, [two]: { kind: 'cert', text: '' } },
    });
    expect(laterNamesake(broken, one)).toMatchObject({ list, certificate: two });
    expect(laterNamesake(broken, two)).toBeUndefined();
  });

  it('is found however many entries are between, and only behind', () => {
    const between = Array.from({ length: 500 }, (_, i) => named(two, `b${i}.test`, `c${i}.test`));
    const leaves = { [one]: 2, [two]: 8 };
    const behind = [named(one, 'x.test'), ...between, named(two, 'x.test')];
    expect(laterNamesake(plan(behind, leaves), one)).toEqual({ list, certificate: two, name: 'x.test' });
    const many = Array.from({ length: 300 }, (_, i) => `m${i}.test`);
    const ofMany = [named(one, ...many), ...between, named(two, 'm299.test')];
    expect(laterNamesake(plan(ofMany, leaves), one)).toEqual({ list, certificate: two, name: 'm299.test' });
    const before = [named(two, 'x.test'), ...between, named(one, 'x.test'), ...between];
    expect(laterNamesake(plan(before, leaves), one)).toBeUndefined();
    const unnamed = [named(one, 'b.example'), ...between, two];
    expect(laterNamesake(plan(unnamed, leaves), one)?.name).toBe('b.example');
  });

  it('counts for an authority that an entry names, too', () => {
    const withCa = { certificate: one, options: ['ca-file', 'ssl/ca.pem'], sniFilters: ['x.test'] };
    const both = plan([withCa, named(two, 'x.test')], { [one]: 2, [two]: 8 });
    expect(laterNamesake(both, 'ssl/ca.pem')).toMatchObject({ certificate: two });
  });

  it('makes the renewal of a certificate a reload that names it, and is no matter otherwise', () => {
    const entries = [one, two];
    const decide = (before: Record<string, number>, after: Record<string, number>) =>
      diff(plan(entries, after), baselineOf(plan(entries, before)));
    expect(decide({ [one]: 2, [two]: 8 }, { [one]: 3, [two]: 8 })).toMatchObject({ verdict: 'runtime' });
    const decision = decide({ [one]: 2, [two]: 3 }, { [one]: 3, [two]: 3 });
    expect(decision).toMatchObject({ verdict: 'reload', inPlace: [] });
    expect(decision.reasons).toEqual([
      `certificate ${one}: changed, and HAProxy would prefer ${two}, which comes after it in ${list} for the same name (a.example)`,
    ]);
  });
});
