import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../src/sandbox/api/api-object.ts';
import { formatAge } from '../../../src/sandbox/api/age.ts';
import { createFaultBook, type FaultSubject } from '../../../src/sandbox/api/faults.ts';
import { negotiate } from '../../../src/sandbox/api/media-type.ts';
import { createRevisionClock, createStorage, type Change } from '../../../src/sandbox/api/storage.ts';

const object = (name: string, namespace = 'n'): ApiObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name, namespace },
});
const storage = (historySize = 8) => createStorage(createRevisionClock(), historySize);

describe('the store of a kind', () => {
  it('lists in key order, by namespace or all', () => {
    const store = storage();
    for (const [name, namespace] of [
      ['b', 'y'],
      ['a', 'y'],
      ['c', 'x'],
    ] as const)
      store.put(object(name, namespace));
    expect(store.entries().map((entry) => entry.name)).toEqual(['c', 'a', 'b']);
    expect(store.entries('y').map((entry) => entry.name)).toEqual(['a', 'b']);
    expect(store.entries('z')).toEqual([]);
    expect([store.size(), store.size('y'), store.size('z')]).toEqual([3, 2, 0]);
  });

  it('leaves a list that was handed out as it was', () => {
    const store = storage();
    const a = store.put(object('a'));
    const before = store.entries();
    store.put(object('b'));
    store.remove(a);
    expect(before).toEqual([a]);
    expect(store.entries()).toHaveLength(1);
  });

  it('tells listeners at once, also of what a write replaced, and stops when told to', () => {
    const store = storage();
    const changes: Change[] = [];
    const stop = store.listen((change) => changes.push(change));
    const first = store.put(object('a'));
    const second = store.put(object('a'));
    store.remove(second);
    stop();
    store.put(object('b'));
    expect(changes.map((change) => change.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(changes[1]?.previous).toBe(first);
    expect(changes[2]?.entry.object.metadata.resourceVersion).toBe(String(changes[2]?.revision));
  });

  it('tells all listeners of a write made by one of them after the write that caused it', () => {
    const store = storage();
    const heard: string[] = [];
    const late: string[] = [];
    store.listen((change) => {
      if (change.entry.name !== 'a') return;
      store.put(object('b'));
      store.listen((later) => late.push(later.entry.name));
    });
    store.listen((change) => heard.push(change.entry.name));
    store.put(object('a'));
    expect(heard).toEqual(['a', 'b']);
    expect(late).toEqual([]);
    store.put(object('c'));
    expect(late).toEqual(['c']);
  });

  it('replays the past within its window and no further', () => {
    const store = storage(4);
    const entries = Array.from({ length: 20 }, (_, i) => store.put(object(`o${i}`)));
    const last = entries[19]?.revision ?? 0;
    expect(store.changesSince(last)).toEqual([]);
    expect(store.changesSince(last - 2)?.map((change) => change.entry.name)).toEqual(['o18', 'o19']);
    expect(store.changesSince(entries[0]?.revision ?? 0)).toBeUndefined();
    store.compact();
    expect(store.changesSince(last - 1)).toBeUndefined();
    expect(store.changesSince(last)).toEqual([]);
  });

  it('rebuilds any present state from any version still in its window', () => {
    const edit = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 60 }), fc.nat(60), (edits, at) => {
        const store = storage(16);
        const clock: number[] = [1];
        const states = [new Map<string, string>()];
        const state = new Map<string, string>();
        for (const { name, remove } of edits) {
          const present = store.get('n', name);
          if (remove && present === undefined) continue;
          const entry = remove && present !== undefined ? store.remove(present) : store.put(object(name));
          if (remove) state.delete(name);
          else state.set(name, String(entry.revision));
          clock.push(entry.revision);
          states.push(new Map(state));
        }
        const from = Math.min(at, clock.length - 1);
        const past = store.changesSince(clock[from] ?? 0);
        if (past === undefined) {
          expect(clock.length - 1 - from).toBeGreaterThan(16);
          return;
        }
        const replayed = new Map(states[from]);
        for (const change of past) {
          if (change.type === 'DELETED') replayed.delete(change.entry.name);
          else replayed.set(change.entry.name, String(change.revision));
        }
        expect(replayed).toEqual(state);
      }),
    );
  });
});

describe('the book of faults', () => {
  const subject = (more: Partial<FaultSubject> = {}): FaultSubject => ({
    method: 'GET',
    resource: 'pods',
    namespace: 'n',
    name: '',
    subresource: '',
    watch: false,
    userAgent: 'kubectl/1',
    ...more,
  });

  it('hits what matches in every respect, as often as told', () => {
    const book = createFaultBook();
    book.inject({ match: { resource: 'pods', watch: true }, action: { kind: 'silence' }, count: 2 });
    expect(book.hits(subject())).toEqual([]);
    expect(book.hits(subject({ watch: true, resource: 'services' }))).toEqual([]);
    expect(book.hits(subject({ watch: true }))).toEqual([{ kind: 'silence' }]);
    expect(book.hits(subject({ watch: true }))).toEqual([{ kind: 'silence' }]);
    expect(book.hits(subject({ watch: true }))).toEqual([]);
  });

  it.each([
    [{ method: 'POST' }, { method: 'POST' }],
    [{ namespace: 'other' }, { namespace: 'other' }],
    [{ name: 'x' }, { name: 'x' }],
    [{ subresource: 'status' }, { subresource: 'status' }],
    [{ userAgent: 'haptic' }, { userAgent: 'haptic/0.1 node' }],
  ])('tells requests apart by %j', (match, more) => {
    const book = createFaultBook();
    book.inject({ match, action: { kind: 'reset' } });
    expect(book.hits(subject())).toEqual([]);
    expect(book.hits(subject(more))).toEqual([{ kind: 'reset' }]);
    book.clear();
    expect(book.hits(subject(more))).toEqual([]);
  });

  it('gives several faults in the order they were made', () => {
    const book = createFaultBook();
    book.inject({ action: { kind: 'delay', ms: 1 } });
    const takeBack = book.inject({ action: { kind: 'status', code: 500 } });
    expect(book.hits(subject()).map((action) => action.kind)).toEqual(['delay', 'status']);
    takeBack();
    expect(book.hits(subject()).map((action) => action.kind)).toEqual(['delay']);
  });
});

describe('ages', () => {
  const minute = 60_000;
  const hour = 60 * minute;
  const day = 24 * hour;

  it.each([
    [-5000, '<invalid>'],
    [-500, '0s'],
    [0, '0s'],
    [119_999, '119s'],
    [2 * minute, '2m'],
    [9 * minute + 5000, '9m5s'],
    [10 * minute + 5000, '10m'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [7 * hour + 5 * minute, '7h5m'],
    [47 * hour, '47h'],
    [2 * day + hour, '2d1h'],
    [8 * day, '8d'],
    [729 * day, '729d'],
    [730 * day, '2y'],
    [800 * day, '2y70d'],
    [10 * 365 * day, '10y'],
  ])('%i ms is %s', (span, text) => {
    expect(formatAge(span)).toBe(text);
  });
});

describe('media types', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  it.each([
    [undefined, 'object', false],
    ['*/*', 'object', false],
    ['application/json', 'object', false],
    ['application/yaml', 'object', true],
    [`${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, 'table', false],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'object', false],
    ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'partial', false],
    ['application/vnd.kubernetes.protobuf,application/json', 'object', false],
    ['application/vnd.kubernetes.protobuf', 'object', false],
  ])('%s', (accept, as, yaml) => {
    expect(negotiate(accept)).toEqual({ as, yaml });
  });

  it('are refused when there is none it can give', () => {
    expect(() => negotiate('text/html')).toThrow('only the following media types');
  });
});
