import { describe, expect, it } from 'vitest';
import { editOrderedMap, getEntry, orderedMapFrom, type OrderedMap } from '../../../src/lib/ordered-map.ts';
import { createPlan } from '../../../src/plan/create-plan.ts';
import { diff } from '../../../src/plan/diff.ts';
import type { Operation } from '../../../src/protocol/operation.ts';
import { crtListLine } from '../../../src/protocol/crt-list-line.ts';
import type { CrtListEntry, Plan } from '../../../src/protocol/plan.ts';
import type { RuntimeInventory } from '../../../src/protocol/wire.ts';
import { inventoryOf } from '../../../src/plan/inventory-of.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan, type CertificateSketch, type FileSketch, type Sketch } from '../../fixtures/make-plan.ts';

const list = 'ssl/list.txt';
const files: Readonly<Record<string, FileSketch>> = Object.fromEntries(
  ['a', 'b', 'c', 'd'].map((name) => [`ssl/${name}.pem`, { kind: 'cert', text: name }]),
);
const sketch = (...entries: CertificateSketch[]): Sketch => ({
  core: { global: 'global\n' },
  crtLists: { [list]: entries },
  files,
});
const entry = (name: string, ...sniFilters: string[]): CertificateSketch => ({
  certificate: `ssl/${name}.pem`,
  sniFilters,
});
const [a, b, c, d] = [entry('a'), entry('b', 'b.example'), entry('c', 'c.example'), entry('d', 'd.example')];

function decide(before: Sketch, after: Sketch, loaded: Partial<RuntimeInventory> = {}) {
  const inventory = { ...inventoryOf(makePlan(before)), ...loaded };
  return diff(makePlan(after), baselineOf(makePlan(before), '3.4', { inventory }));
}
const add = (name: string, ...sni_filters: string[]): Operation => ({
  kind: 'crtlist_add',
  path: list,
  cert: `ssl/${name}.pem`,
  options: [],
  sni_filters,
});
const del = (name: string): Operation => ({ kind: 'crtlist_del', path: list, cert: `ssl/${name}.pem` });

type Case = readonly [
  before: readonly CertificateSketch[],
  after: readonly CertificateSketch[],
  readonly Operation[],
];
const changes: Readonly<Record<string, Case>> = {
  'an entry at the end': [[a, b], [a, b, c], [add('c', 'c.example')]],
  'an entry amid others of other names': [[a, b, d], [a, b, c, d], [add('c', 'c.example')]],
  'several entries, in the order of the file': [
    [a],
    [a, d, b],
    [add('d', 'd.example'), add('b', 'b.example')],
  ],
  'an entry that goes': [[a, b, c], [a, c], [del('b')]],
  'another name of an entry: the new one first': [
    [a, b, c],
    [a, entry('b', 'b.example', 'bb.example'), c],
    [add('b', 'b.example', 'bb.example'), del('b')],
  ],
  'other options of an entry': [
    [a, b],
    [a, { ...b, options: ['alpn', 'h2', 'verify', 'none'] }],
    [{ ...add('b', 'b.example'), options: ['alpn', 'h2', 'verify', 'none'] } as Operation, del('b')],
  ],
  'a name that passes to another certificate': [
    [a, b],
    [a, entry('c', 'b.example')],
    [add('c', 'b.example'), del('b')],
  ],
  'a second certificate of a name, behind the first': [
    [a, b],
    [a, b, entry('c', 'B.example')],
    [add('c', 'B.example')],
  ],
  'a name that another entry excludes': [
    [a, entry('b', '*.example', '!c.example')],
    [a, c, entry('b', '*.example', '!c.example')],
    [add('c', 'c.example')],
  ],
  'all entries of a certificate at once': [
    [a, b, entry('b', 'bb.example')],
    [a, entry('b', 'b.example', 'bb.example')],
    [add('b', 'b.example', 'bb.example'), del('b'), del('b')],
  ],
};

const refusals: Readonly<Record<string, readonly [CertificateSketch[], CertificateSketch[], string]>> = {
  'another default certificate': [
    [a, b],
    [b, a],
    'its first entry, the default certificate, was ssl/a.pem and is ssl/b.pem, which HAProxy cannot alter at runtime',
  ],
  'other options of the default certificate': [
    [a],
    [{ ...a, options: ['no-alpn'] }],
    'its first entry, the default certificate, was ssl/a.pem and is ssl/a.pem, which HAProxy cannot alter at runtime',
  ],
  'the first certificate of an empty list': [
    [],
    [a],
    'its first entry, the default certificate, was none and is ssl/a.pem, which HAProxy cannot alter at runtime',
  ],
  'a certificate before another one of its name': [
    [a, b],
    [a, entry('c', 'b.example'), b],
    'entry ssl/c.pem: new, and it stands before ssl/b.pem, which has b.example too, while HAProxy adds at the end only',
  ],
  'a certificate before one whose names are not known': [
    [a, entry('b')],
    [a, c, entry('b')],
    'entry ssl/c.pem: new, and it stands before ssl/b.pem, which has names of a certificate too, while HAProxy adds at the end only',
  ],
  'entries of one name that change places': [
    [a, b, entry('c', 'b.example')],
    [a, entry('c', 'b.example'), b],
    'entries changed places, and HAProxy moves none',
  ],
  'one of several entries of a certificate': [
    [a, b, entry('b', 'bb.example')],
    [a, b],
    'entry ssl/b.pem: removed, and another one of this certificate stays',
  ],
  'a default certificate by filter': [
    [a],
    [a, entry('b', '*')],
    'ssl/b.pem has the filter "*", and HAProxy picks default certificates only at start',
  ],
  'an option that is none of those': [
    [a],
    [a, { ...b, options: ['ocsp-update', 'on'] }],
    'entry ssl/b.pem: new, and its option "ocsp-update" is not for certificates added at runtime on HAProxy 3.4',
  ],
  'an option without its argument': [
    [a],
    [a, { ...b, options: ['alpn'] }],
    'entry ssl/b.pem: new, and its option "alpn" has no argument',
  ],
  'a CA file that is nowhere': [
    [a],
    [a, { ...b, options: ['ca-file', 'ssl/ca.pem'] }],
    'entry ssl/b.pem: new, and its option "ca-file": ssl/ca.pem is a file that the worker has not loaded',
  ],
  'a certificate that is nowhere': [
    [a],
    [a, entry('z', 'z.example')],
    'entry ssl/z.pem: new, and ssl/z.pem is a file that the worker has not loaded',
  ],
  'a filter that would end the command': [
    [a],
    [a, entry('b', 'b.example;quit')],
    'entry ssl/b.pem: new, and a word of it cannot stand in a runtime command',
  ],
  'an entry that no command holds': [
    [a],
    [a, entry('b', ...Array.from({ length: 600 }, (_, n) => `host-${n}.b.example`))],
    'entry ssl/b.pem: new, and it is too long for a runtime command',
  ],
};

describe('diff of crt-lists (R6)', () => {
  it.each(Object.entries(changes))('changes at runtime: %s', (_name, [before, after, operations]) => {
    const decision = decide(sketch(...before), sketch(...after));
    expect(decision.reasons).toEqual([]);
    expect(decision.batches).toEqual([operations]);
  });

  it.each(Object.entries(refusals))('reloads for %s', (_name, [before, after, reason]) => {
    expect(decide(sketch(...before), sketch(...after)).reasons).toEqual([`crt-list ${list}: ${reason}`]);
  });

  it('has nothing to do for entries whose order has no meaning', () => {
    expect(decide(sketch(a, b, c, d), sketch(a, d, b, c))).toMatchObject({
      verdict: 'file_only',
      changedFiles: [list],
    });
  });

  it('needs a reload for entries that swap behind one of any name', () => {
    expect(decide(sketch(a, entry('b'), c, d), sketch(a, c, entry('b'), d)).verdict).toBe('reload');
    expect(decide(sketch(a, c, d), sketch(a, d, c)).verdict).toBe('file_only');
  });

  it('loads the CA file that an entry names', () => {
    const after = sketch(a, { ...b, options: ['ca-file', 'ssl/ca.pem', 'verify', 'required'] });
    const withCa: Sketch = { ...after, files: { ...files, 'ssl/ca.pem': { kind: 'ca', text: 'CA' } } };
    expect(
      decide(sketch(a), withCa)
        .batches.flat()
        .map(({ kind }) => kind),
    ).toEqual(['ca_new', 'crtlist_add']);
  });

  it('leaves a list to the disk that the worker has not loaded', () => {
    const decision = decide(sketch(a), sketch(b, c), { crt_lists: [] });
    expect(decision).toMatchObject({
      verdict: 'file_only',
      notes: [`crt-list ${list}: changed, but not loaded by the worker`],
    });
  });

  it('reloads for a loaded list that goes, or that the worker knows under another name', () => {
    const without: Sketch = { ...sketch(), crtLists: {} };
    expect(decide(sketch(a), without).reasons).toEqual([
      `crt-list ${list}: removed, but the worker has it loaded`,
    ]);
    expect(decide(sketch(a), sketch(a, b), { crt_lists: [`/etc/haproxy/${list}`] }).reasons).toEqual([
      `crt-list ${list}: changed, and the worker knows it as /etc/haproxy/${list}`,
    ]);
  });

  it('reloads for a loaded list whose entries are not declared', () => {
    const opaque = (text: string): Sketch => ({
      ...sketch(),
      crtLists: {},
      files: { ...files, [list]: { kind: 'crtlist', text } },
    });
    const undeclared = `crt-list ${list}: changed, and its entries are not declared`;
    expect(decide(opaque('ssl/a.pem\n'), opaque('ssl/b.pem\n')).reasons).toEqual([undeclared]);
    expect(decide(sketch(a), opaque('ssl/b.pem\n')).reasons).toEqual([`${undeclared} any more`]);
    expect(decide(opaque('ssl/b.pem\n'), sketch(a)).reasons).toEqual([
      `crt-list ${list}: loaded by the worker with entries that are not known`,
    ]);
    expect(decide(opaque('ssl/a.pem\n'), opaque('ssl/b.pem\n'), { crt_lists: [] }).verdict).toBe('file_only');
  });

  it('adds one of fifteen thousand certificates, wherever it stands in the file', () => {
    const many = Array.from({ length: 15_000 }, (_, n) => entry('b', `host-${n}.example`));
    const amid = [...many.slice(0, 7000), c, ...many.slice(7000)];
    expect(decide(sketch(a, ...many), sketch(a, ...amid)).batches.flat()).toEqual([add('c', 'c.example')]);
  });

  it('looks only at what is near the change, however long the list is', () => {
    let looks = 0;
    const counting = (at: number): [string, CrtListEntry] => {
      const fields = { certificate: 'ssl/b.pem', options: [], sniFilters: [`host-${at}.example`] };
      const text = crtListLine(fields);
      const read = <T>(value: T) => ({ get: () => (looks++, value), enumerable: true });
      const found: unknown = Object.defineProperties(
        {},
        {
          certificate: read(fields.certificate),
          options: read(fields.options),
          sniFilters: read(fields.sniFilters),
          text: read(text),
        },
      );
      return [String(at).padStart(6, '0'), found as CrtListEntry];
    };
    const planWith = (entries: OrderedMap<CrtListEntry>, previous: Plan): Plan => {
      const digest = String(entries.size).padStart(16, '0');
      const file = { ...getEntry(previous.files, list)!, digest };
      const crtLists = orderedMapFrom([[list, { path: list, entries }]]);
      return createPlan(
        { ...previous, crtLists, files: editOrderedMap(previous.files, [[list, file]]) },
        previous,
      );
    };
    const entries = orderedMapFrom(Array.from({ length: 10_000 }, (_, at) => counting(at * 2)));
    const held = planWith(entries, makePlan(sketch(a)));
    const withOne = planWith(editOrderedMap(entries, [counting(1)]), held);
    expect(diff(withOne, baselineOf(held)).batches.flat()).toEqual([add('b', 'host-1.example')]);
    const withTwo = planWith(
      editOrderedMap(getEntry(withOne.crtLists, list)!.entries, [counting(301)]),
      withOne,
    );
    looks = 0;
    expect(diff(withTwo, baselineOf(withOne)).batches.flat()).toEqual([add('b', 'host-301.example')]);
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(1000);
  });
});
