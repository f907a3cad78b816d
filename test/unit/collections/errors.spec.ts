import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { DerivedOptions, Graph } from '../../../src/collections/types.ts';
import { CodedError } from '../../../src/lib/coded-error.ts';
import type { Problem } from '../../../src/lib/problem.ts';

const problemsOf = ({ problems }: Graph) => problems.keys().flatMap((key) => problems.peek(key) ?? []);

const warning = (message: string, name = 'a'): Problem => ({
  severity: 'warning',
  reason: 'Odd',
  field: 'spec.n',
  message,
  owner: { kind: 'Thing', namespace: 'ns', name },
});

/** Inverse of numbers; throws what `thrown` makes for zero. */
function inverses(
  thrown: () => unknown = () => new Error('division by zero'),
  options: DerivedOptions<number, number> = {},
) {
  const graph = createGraph();
  const numbers = graph.source<number>('numbers');
  const results = graph.mapEntries(
    'inverses',
    numbers,
    (n) => {
      if (n === 0) throw thrown();
      return 1 / n;
    },
    options,
  );
  return { graph, numbers, results };
}

describe('a projector that throws', () => {
  it('leaves its entry at its last value and all others served, and its owner is told', () => {
    const { graph, numbers, results } = inverses();
    numbers.set('a', 2);
    numbers.set('b', 2);
    graph.advance();
    numbers.set('a', 0);
    numbers.set('b', 4);
    numbers.set('new', 0);
    expect(graph.advance()).toBe('finished');
    expect([results.peek('a'), results.peek('b'), results.keys()]).toEqual([0.5, 0.25, ['a', 'b']]);
    expect(problemsOf(graph)).toEqual(
      ['a', 'new'].map((name) => ({
        severity: 'error',
        reason: 'ProjectionFailed',
        field: '',
        message: 'inverses: division by zero',
        owner: { kind: 'inverses', namespace: '', name },
      })),
    );
  });

  it('is tried again when its entry changes, and the problem goes', () => {
    const { graph, numbers, results } = inverses();
    numbers.set('a', 0);
    graph.advance();
    numbers.set('a', 5);
    graph.advance();
    expect([results.peek('a'), problemsOf(graph)]).toEqual([0.2, []]);
  });

  it('is tried again when something it read changes, also what it read just before', () => {
    const graph = createGraph();
    const names = graph.source<string>('names');
    const things = graph.source<number>('things');
    const results = graph.mapEntries(
      'results',
      names,
      (name, _key, reader) => {
        const thing = reader.read(things, name);
        if (thing === undefined) throw new Error(`no ${name}`);
        return thing;
      },
      { reads: [things] },
    );
    names.set('a', 'lamp');
    graph.advance();
    expect(problemsOf(graph).map(({ message }) => message)).toEqual(['results: no lamp']);
    things.set('lamp', 1);
    graph.advance();
    expect([results.peek('a'), problemsOf(graph)]).toEqual([1, []]);
    things.delete('lamp');
    graph.advance();
    expect([results.peek('a'), problemsOf(graph).length]).toEqual([1, 1]);
  });

  it('takes its last value and its problem along when its entry goes', () => {
    const { graph, numbers, results } = inverses();
    numbers.set('a', 1);
    graph.advance();
    numbers.set('a', 0);
    graph.advance();
    numbers.delete('a');
    graph.advance();
    expect([results.size, problemsOf(graph)]).toEqual([0, []]);
    expect(graph.stats()).toEqual(inverses().graph.stats());
  });

  it('blames the owner that the collection names', () => {
    const owner = { kind: 'Ingress', namespace: 'shop', name: 'web' };
    const { graph, numbers } = inverses(undefined, { ownerOf: () => owner });
    numbers.set('a', 0);
    graph.advance();
    expect(problemsOf(graph).map((problem) => problem.owner)).toEqual([owner]);
  });

  it('blames the entry when even that throws', () => {
    const { graph, numbers } = inverses(undefined, {
      ownerOf: () => {
        throw new Error('no metadata');
      },
    });
    numbers.set('a', 0);
    graph.advance();
    expect(problemsOf(graph).map((problem) => problem.owner)).toEqual([
      { kind: 'inverses', namespace: '', name: 'a' },
    ]);
  });

  it.each([
    ['a coded error keeps its message', new CodedError('HAPTIC_ERR_X', 'spec.x is wrong'), 'spec.x is wrong'],
    ['an error names the collection', new TypeError('x is not a function'), 'inverses: x is not a function'],
    ['a string is a message', 'plain words', 'inverses: plain words'],
    ['nothing is something', undefined, 'inverses: undefined'],
  ])('%s', (_what, thrown, message) => {
    const { graph, numbers } = inverses(() => thrown);
    numbers.set('a', 0);
    graph.advance();
    expect(problemsOf(graph)).toMatchObject([{ reason: 'ProjectionFailed', severity: 'error', message }]);
  });

  it('speaks for itself when its error carries a problem', () => {
    const problem = warning('refused by the template');
    const { graph, numbers } = inverses(() => Object.assign(new Error('fail'), { problem }));
    numbers.set('a', 0);
    graph.advance();
    expect(problemsOf(graph)).toEqual([problem]);
  });

  it('is not fooled by a problem that is none', () => {
    const { graph, numbers } = inverses(() => Object.assign(new Error('fail'), { problem: { reason: 'X' } }));
    numbers.set('a', 0);
    graph.advance();
    expect(problemsOf(graph)).toMatchObject([{ reason: 'ProjectionFailed', message: 'inverses: fail' }]);
  });

  it('keeps what a flatMap made, also when it throws half way through', () => {
    const graph = createGraph();
    const source = graph.source<number>('source');
    const flat = graph.flatMapEntries('flat', source, function* (n, key) {
      yield [`${key}1`, n] as const;
      if (n > 1) throw new Error('too many');
      yield [`${key}2`, n] as const;
    });
    source.set('a', 1);
    graph.advance();
    source.set('a', 2);
    source.set('b', 2);
    graph.advance();
    expect(flat.keys().map((key) => [key, flat.peek(key)])).toEqual([
      ['a1', 1],
      ['a2', 1],
    ]);
    expect(problemsOf(graph).map(({ owner }) => owner.name)).toEqual(['a', 'b']);
  });

  it('leaves an entry in its group and index where their key functions throw', () => {
    const graph = createGraph();
    const source = graph.source<string>('source');
    const keyOf = (value: string) => {
      if (value === 'bad') throw new Error('no key');
      return value.slice(0, 1);
    };
    const groups = graph.groupEntriesBy('groups', source, keyOf);
    const index = graph.indexBy('index', source, (value) => [keyOf(value)]);
    source.set('a', 'xa');
    graph.advance();
    source.set('a', 'bad');
    graph.advance();
    expect([groups.peek('x'), index.peek('x')]).toEqual([['xa'], ['xa']]);
    expect(problemsOf(graph).map(({ message }) => message)).toEqual(['groups: no key', 'index: no key']);
    source.set('a', 'ya');
    graph.advance();
    expect([groups.keys(), index.peek('x'), problemsOf(graph)]).toEqual([['y'], [], []]);
  });

  it('never disturbs the entries that do not, whatever comes in which order', () => {
    const edit = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.option(fc.integer({ min: 0, max: 3 })));
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 20 }), (edits) => {
        const { graph, numbers, results } = inverses();
        const current = new Map<string, number>();
        const last = new Map<string, number>();
        for (const [key, n] of edits) {
          if (n === null) {
            numbers.delete(key);
            current.delete(key);
            last.delete(key);
          } else {
            numbers.set(key, n);
            current.set(key, n);
            if (n !== 0) last.set(key, 1 / n);
          }
          graph.advance();
          expect(new Map(results.keys().map((k) => [k, results.peek(k)]))).toEqual(last);
          const failing = [...current].filter(([, value]) => value === 0).map(([k]) => k);
          expect(problemsOf(graph).map(({ owner }) => owner.name)).toEqual(failing.sort());
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('problems', () => {
  /** Reports every word of its entries. */
  const world = () => {
    const graph = createGraph();
    const words = graph.source<readonly string[]>('words');
    graph.mapEntries('reports', words, (list, _key, reader) => {
      for (const word of list) reader.report(warning(word));
      return list.length;
    });
    return { graph, words };
  };

  it('are those of the entry’s last run, each once', () => {
    const { graph, words } = world();
    words.set('1', ['x', 'y', 'x']);
    graph.advance();
    expect(problemsOf(graph)).toEqual([warning('x'), warning('y')]);
    words.set('1', ['y']);
    graph.advance();
    expect(problemsOf(graph)).toEqual([warning('y')]);
    words.delete('1');
    graph.advance();
    expect(graph.problems.size).toBe(0);
  });

  it('that several entries report are one, until the last of them goes', () => {
    const { graph, words } = world();
    words.set('1', ['x']);
    words.set('2', ['x']);
    graph.advance();
    expect(graph.problems.size).toBe(1);
    words.delete('1');
    graph.advance();
    expect(problemsOf(graph)).toEqual([warning('x')]);
    words.delete('2');
    graph.advance();
    expect(graph.problems.size).toBe(0);
  });

  it('change with the turn and not before', () => {
    const { graph, words } = world();
    const seen: unknown[] = [];
    graph.problems.deltas$.subscribe((deltas) =>
      seen.push(deltas.map(({ before, after }) => [before, after])),
    );
    words.set('1', ['x']);
    words.set('2', []);
    graph.advance(() => true);
    expect([graph.problems.size, graph.problems.keys(), seen]).toEqual([0, [], []]);
    graph.advance();
    expect(seen).toEqual([[[undefined, warning('x')]]]);
  });

  it('that are reported again as they were are no news', () => {
    const { graph, words } = world();
    const seen: unknown[] = [];
    words.set('1', ['x']);
    graph.advance();
    graph.problems.deltas$.subscribe((deltas) => seen.push(deltas));
    words.set('1', ['x', 'x', 'x']);
    graph.advance();
    words.delete('1');
    words.set('2', ['x']);
    graph.advance();
    expect(seen).toEqual([]);
    expect(problemsOf(graph)).toEqual([warning('x')]);
  });

  it('are listed by owner', () => {
    const graph = createGraph();
    const names = graph.source<string>('names');
    graph.mapEntries('reports', names, (name, _key, reader) => {
      reader.report(warning('m', name));
      return name;
    });
    names.set('1', 'b');
    names.set('2', 'a');
    names.set('3', 'c');
    graph.advance();
    expect(problemsOf(graph).map(({ owner }) => owner.name)).toEqual(['a', 'b', 'c']);
  });
});

describe('a projector that finds much wrong', () => {
  const found = (report: readonly Problem[]) => {
    const graph = createGraph();
    const things = graph.source<true>('things');
    graph.mapEntries('checked', things, (_thing, _key, reader) => {
      for (const problem of report) reader.report(problem);
      return true;
    });
    things.set('a', true);
    graph.advance();
    return problemsOf(graph);
  };
  const many = (count: number, name?: string) =>
    Array.from({ length: count }, (_, i) => warning(`number ${String(i).padStart(5, '0')}`, name));

  it('has 64 of them told to each owner, and how many more there are', () => {
    const told = found([...many(10_000), warning('of another', 'b')]);
    expect(told).toHaveLength(66);
    expect(told.filter(({ owner }) => owner.name === 'b').map(({ message }) => message)).toEqual([
      'of another',
    ]);
    expect(told).toContainEqual({
      severity: 'warning',
      reason: 'MoreProblems',
      field: '',
      message: 'has 9936 more problems',
      owner: { kind: 'Thing', namespace: 'ns', name: 'a' },
    });
    expect(found(many(64))).toHaveLength(64);
  });

  it('does not hide an error behind warnings', () => {
    const told = found([...many(64), { ...warning('last'), severity: 'error' }]);
    expect(told.filter(({ severity }) => severity === 'error')).toMatchObject([
      { reason: 'MoreProblems', message: 'has 1 more problems' },
    ]);
  });
});
