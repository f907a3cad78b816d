import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { yieldAfter } from './random-graph.ts';

/** Members by team, a text per team that reads a title and an index of members by age. */
function world() {
  const graph = createGraph();
  const runs: string[] = [];
  const members = graph.source<{ readonly team: string; readonly age: number }>('members');
  const titles = graph.source<string>('titles');
  const byAge = graph.indexBy('by-age', members, ({ age }) => [String(age)]);
  const teams = graph.groupEntriesBy('teams', members, ({ team }) => team);
  const texts = graph.mapEntries(
    'texts',
    teams,
    (list, team, reader) => {
      runs.push(team);
      const title = reader.read(titles, team);
      if (title === undefined) reader.report(untitled(team));
      const peers = reader.readIndex(byAge, String(list[0]?.age)).length;
      return `${title ?? '?'} ${list.map(({ age }) => age).join('+')} ${peers}`;
    },
    { reads: [titles, byAge] },
  );
  const shouted = graph.mapEntries('shouted', texts, (text) => text.toUpperCase());
  titles.set('red', 'reds');
  members.set('a', { team: 'red', age: 1 });
  members.set('b', { team: 'red', age: 2 });
  members.set('c', { team: 'blue', age: 1 });
  graph.advance();
  runs.length = 0;
  return { graph, members, titles, byAge, teams, texts, shouted, runs };
}

const untitled = (name: string) => ({
  severity: 'warning' as const,
  reason: 'Untitled',
  field: '',
  message: 'no title',
  owner: { kind: 'Team', namespace: '', name },
});

describe('fork', () => {
  it('shows what would be, and recomputes only what the overlay touches', () => {
    const { graph, titles, texts, shouted, runs } = world();
    const fork = graph.fork([{ collection: titles, key: 'red', value: 'rubies' }]);
    expect(fork.peek(shouted, 'red')).toBe('RUBIES 1+2 2');
    expect(fork.peek(shouted, 'blue')).toBe('? 1 2');
    expect(runs).toEqual(['red']);
    expect(fork.changes(texts)).toEqual([{ key: 'red', before: 'reds 1+2 2', after: 'rubies 1+2 2' }]);
    expect(texts.peek('red')).toBe('reds 1+2 2');
  });

  it('goes through groups and indexes', () => {
    const { graph, members, teams, texts, byAge } = world();
    const fork = graph.fork([
      { collection: members, key: 'c', value: { team: 'green', age: 7 } },
      { collection: members, key: 'b', value: undefined },
      { collection: members, key: 'd', value: { team: 'red', age: 3 } },
    ]);
    expect(fork.peek(teams, 'red')?.map(({ age }) => age)).toEqual([1, 3]);
    expect(fork.changes(texts)).toEqual([
      { key: 'blue', before: '? 1 2' },
      { key: 'green', after: '? 7 1' },
      { key: 'red', before: 'reds 1+2 2', after: 'reds 1+3 1' },
    ]);
    expect(byAge.peek('1').length).toBe(2);
    expect(teams.keys()).toEqual(['blue', 'red']);
  });

  it('has the problems of the what-if, with those that it did not touch', () => {
    const { graph, titles, members } = world();
    expect(graph.fork([]).problems).toEqual([untitled('blue')]);
    expect(graph.fork([{ collection: titles, key: 'red', value: undefined }]).problems).toEqual([
      untitled('blue'),
      untitled('red'),
    ]);
    const solved = graph.fork([{ collection: titles, key: 'blue', value: 'blues' }]);
    expect(solved.problems).toEqual([]);
    expect(solved.changes(graph.problems).map(({ before }) => before)).toEqual([untitled('blue')]);
    expect(solved.problemChanges.map(({ before, after }) => [before, after])).toEqual([
      [untitled('blue'), undefined],
    ]);
    const failed = graph.fork([{ collection: members, key: 'c', value: null }]);
    expect(failed.problems.map(({ reason }) => reason)).toContain('ProjectionFailed');
    expect(graph.problems.size).toBe(1);
  });

  it('sees nothing of an overlay that changes nothing', () => {
    const { graph, titles, members, texts, runs } = world();
    const fork = graph.fork([
      { collection: titles, key: 'red', value: 'reds' },
      { collection: members, key: 'nobody', value: undefined },
    ]);
    expect([fork.changes(texts), fork.changes(members), runs]).toEqual([[], [], []]);
  });

  it('stands on the last finished turn, also when the next one is half done', () => {
    const { graph, titles, members, texts } = world();
    titles.set('blue', 'blues');
    members.set('e', { team: 'red', age: 9 });
    graph.advance(yieldAfter(3));
    const fork = graph.fork([{ collection: titles, key: 'red', value: 'rubies' }]);
    expect(fork.peek(texts, 'red')).toBe('rubies 1+2 2');
    expect(fork.peek(texts, 'blue')).toBe('? 1 2');
    graph.advance();
    expect([texts.peek('red'), texts.peek('blue')]).toEqual(['reds 1+2+9 2', 'blues 1 2']);
  });

  it('is worked on in slices, and shows nothing before it is finished', () => {
    const { graph, titles, texts, runs } = world();
    const fork = graph.forkInSlices([
      { collection: titles, key: 'red', value: 'rubies' },
      { collection: titles, key: 'blue', value: 'blues' },
    ]);
    expect(() => fork.changes(texts)).toThrow('a fork shows nothing before it is finished');
    expect(() => fork.problems).toThrow('a fork shows nothing before it is finished');
    let slices = 1;
    while (fork.advance(yieldAfter(1)) === 'yielded') slices++;
    expect(slices).toBeGreaterThan(1);
    expect(fork.advance()).toBe('finished');
    expect(fork.changes(texts).map(({ key }) => key)).toEqual(['blue', 'red']);
    expect(runs.sort()).toEqual(['blue', 'red']);
    expect(graph.revision).toBe(1);
  });

  it('is not worked on any further once its graph has moved on', () => {
    const { graph, titles } = world();
    const fork = graph.forkInSlices([{ collection: titles, key: 'red', value: 'rubies' }]);
    expect(fork.isCurrent).toBe(true);
    titles.set('blue', 'blues');
    graph.advance();
    expect(fork.isCurrent).toBe(false);
    expect(() => fork.advance()).toThrow('a fork is valid only until the next turn of its graph');
  });

  it('is of no use after the next turn, and says so', () => {
    const { graph, titles, texts } = world();
    const fork = graph.fork([{ collection: titles, key: 'red', value: 'rubies' }]);
    titles.set('red', 'others');
    expect(fork.peek(texts, 'red')).toBe('rubies 1+2 2');
    graph.advance();
    expect(() => fork.peek(texts, 'red')).toThrow('a fork is valid only until the next turn of its graph');
    expect(() => fork.changes(texts)).toThrow('a fork is valid only until');
    expect(() => fork.problems).toThrow('a fork is valid only until');
  });

  it('is of no use after a release, and says so', () => {
    const { graph, texts } = world();
    const mark = graph.mark();
    graph.mapEntries('more', texts, (text) => text);
    graph.advance();
    const fork = graph.fork([]);
    graph.release(mark);
    expect(() => fork.peek(texts, 'red')).toThrow('a fork is valid only until');
  });

  it('cannot write what is derived', () => {
    const { graph, texts } = world();
    const collection = texts as unknown as Parameters<typeof graph.fork>[0][number]['collection'];
    expect(() => graph.fork([{ collection, key: 'red', value: 'x' }])).toThrow('a fork cannot write "texts"');
  });

  it('costs by what the overlay touches: thousands of others are not looked at', () => {
    const graph = createGraph();
    let runs = 0;
    const source = graph.source<number>('source');
    const shared = graph.source<number>('shared');
    const derived = graph.mapEntries(
      'derived',
      source,
      (n, _key, reader) => {
        runs++;
        return n + (n === 5 ? (reader.read(shared, 'x') ?? 0) : 0);
      },
      { reads: [shared] },
    );
    for (let n = 0; n < 5_000; n++) source.set(`k${n}`, n);
    graph.advance();
    runs = 0;
    const fork = graph.fork([{ collection: shared, key: 'x', value: 1 }]);
    expect(fork.changes(derived)).toEqual([{ key: 'k5', before: 5, after: 6 }]);
    expect(runs).toBe(1);
  });
});
