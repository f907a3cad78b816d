import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { layerGraph } from '../../../src/collections/layer-graph.ts';
import type { Collection, Graph, SourceCollection } from '../../../src/collections/types.ts';
import { yieldAfter } from './random-graph.ts';

interface Member {
  readonly team: string;
  readonly age: number;
}

const problemOf = (name: string) => ({
  severity: 'warning' as const,
  reason: 'Old',
  field: '',
  message: 'older than eight',
  owner: { kind: 'Member', namespace: '', name },
});

/** Teams of adults, from members. */
function teamsOf(graph: Graph, members: Collection<Member>): Collection<readonly Member[]> {
  const adults = graph.mapEntries('adults', members, (member, key, reader) => {
    if (member.age > 8) reader.report(problemOf(key));
    return member.age > 3 ? member : undefined;
  });
  return graph.groupEntriesBy('teams', adults, ({ team }) => team);
}

/** A text per team that reads a title, and the number of members whatever their age. */
function textsOf(
  graph: Graph,
  teams: Collection<readonly Member[]>,
  titles: Collection<string>,
  members: Collection<Member>,
): Collection<string> {
  return graph.mapEntries(
    'texts',
    teams,
    (list, team, reader) =>
      `${reader.read(titles, team) ?? '?'} ${list.map(({ age }) => age).join('+')} of ${reader.readKeys(members).length}`,
    { reads: [titles, members] },
  );
}

interface Site {
  readonly graph: Graph;
  readonly members: SourceCollection<Member>;
  readonly titles: SourceCollection<string>;
  readonly teams: Collection<readonly Member[]>;
  readonly texts: Collection<string>;
}

function flat(): Site {
  const graph = createGraph();
  const members = graph.source<Member>('members');
  const titles = graph.source<string>('titles');
  const teams = teamsOf(graph, members);
  return { graph, members, titles, teams, texts: textsOf(graph, teams, titles, members) };
}

/** Stores, facts on them, texts on both: what is looked at from above has several ways there. */
function layered(onStores = stores(), onFacts = facts(onStores)): Site & { dispose(): void } {
  const { members, titles } = onStores;
  const top = layerGraph([onFacts.layer.graph, members.graph, titles.graph]);
  const texts = textsOf(
    top.graph,
    top.above(onFacts.teams),
    top.above(titles.store),
    top.above(members.store),
  );
  return {
    graph: top.graph,
    members: members.store,
    titles: titles.store,
    teams: onFacts.teams,
    texts,
    dispose: top.dispose,
  };
}

function stores() {
  const members = createGraph();
  const titles = createGraph();
  return {
    members: { graph: members, store: members.source<Member>('members') },
    titles: { graph: titles, store: titles.source<string>('titles') },
  };
}

function facts({ members }: ReturnType<typeof stores>) {
  const layer = layerGraph([members.graph]);
  return { layer, teams: teamsOf(layer.graph, layer.above(members.store)) };
}

type Edit =
  | { readonly store: 'members'; readonly key: string; readonly value: Member | undefined }
  | { readonly store: 'titles'; readonly key: string; readonly value: string | undefined };

const teamNames = fc.constantFrom('red', 'blue', 'green');
const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.oneof(
    fc.record({
      store: fc.constant('members' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      value: fc.option(fc.record({ team: teamNames, age: fc.nat(9) }), { nil: undefined }),
    }),
    fc.record({
      store: fc.constant('titles' as const),
      key: teamNames,
      value: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
    }),
  ),
  { maxLength: 8 },
);

function apply(site: Site, list: readonly Edit[]): void {
  for (const { store, key, value } of list) {
    const target = site[store] as SourceCollection<unknown>;
    if (value === undefined) target.delete(key);
    else target.set(key, value);
  }
}

const overlayOf = (site: Site, list: readonly Edit[]) =>
  list.map(({ store, key, value }) => ({ collection: site[store], key, value }));

function seen({ texts, graph }: Site) {
  return {
    texts: texts.keys().map((key) => [key, texts.peek(key)]),
    problems: graph.problems.keys().map((key) => graph.problems.peek(key)),
  };
}

describe('a graph on top of others', () => {
  it('shows after a turn what one graph would show, however turns are sliced and whenever it was put on', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(edits, fc.nat(6)), { minLength: 1, maxLength: 6 }),
        fc.nat(6),
        (rounds, from) => {
          const one = flat();
          const onStores = stores();
          const onFacts = facts(onStores);
          let several: ReturnType<typeof layered> | undefined;
          rounds.forEach(([list, slice], round) => {
            if (round >= from) several ??= layered(onStores, onFacts);
            apply(one, list);
            apply({ ...one, members: onStores.members.store, titles: onStores.titles.store }, list);
            several?.graph.advance(yieldAfter(slice));
          });
          several ??= layered(onStores, onFacts);
          one.graph.advance();
          while (several.graph.advance(yieldAfter(2)) === 'yielded');
          expect(several.graph.dirty).toBe(false);
          expect(seen(several)).toEqual(seen(one));
        },
      ),
    );
  });

  it('shows in a what-if what one graph would show, and stays what it is', () => {
    fc.assert(
      fc.property(edits, edits, (present, overlay) => {
        const one = flat();
        const several = layered();
        for (const site of [one, several]) {
          apply(site, present);
          site.graph.advance();
        }
        const before = seen(several);
        const fork = one.graph.fork(overlayOf(one, overlay));
        const layeredFork = several.graph.forkInSlices(overlayOf(several, overlay));
        while (layeredFork.advance(yieldAfter(1)) === 'yielded');
        expect(layeredFork.changes(several.texts)).toEqual(fork.changes(one.texts));
        expect(layeredFork.changes(several.teams)).toEqual(fork.changes(one.teams));
        expect(layeredFork.problems).toEqual(fork.problems);
        expect(layeredFork.isCurrent).toBe(true);
        expect(seen(several)).toEqual(before);
      }),
    );
  });

  it('computes below once for all that are on top, and keeps nobody waiting who changes something', () => {
    const onStores = stores();
    const onFacts = facts(onStores);
    const first = layered(onStores, onFacts);
    apply(first, [{ store: 'members', key: 'a', value: { team: 'red', age: 5 } }]);
    first.graph.advance();
    const second = layered(onStores, onFacts);
    apply(first, [{ store: 'members', key: 'b', value: { team: 'red', age: 6 } }]);
    first.graph.advance();
    const revision = onFacts.layer.graph.revision;
    expect(first.texts.peek('red')).toBe('? 5+6 of 2');
    expect(second.texts.size).toBe(0);
    second.graph.advance();
    expect(second.texts.peek('red')).toBe('? 5+6 of 2');
    expect(onFacts.layer.graph.revision).toBe(revision);
  });

  it('lets go of what is below when it is disposed', () => {
    const onStores = stores();
    const onFacts = facts(onStores);
    const site = layered(onStores, onFacts);
    site.graph.advance();
    site.dispose();
    apply(site, [{ store: 'titles', key: 'red', value: 'x' }]);
    expect(onStores.titles.graph.advance()).toBe('finished');
    expect(site.graph.dirty).toBe(false);
  });

  it('goes stale with a turn below, and shows nothing of a what-if before that is finished', () => {
    const site = layered();
    apply(site, [{ store: 'members', key: 'a', value: { team: 'red', age: 5 } }]);
    site.graph.advance();
    const overlay = overlayOf(site, [{ store: 'titles', key: 'red', value: 'x' }]);
    const fork = site.graph.forkInSlices(overlay);
    expect(() => fork.peek(site.texts, 'red')).toThrow(
      expect.objectContaining({ code: 'HAPTIC_ERR_COLLECTIONS_UNFINISHED_FORK' }),
    );
    fork.advance();
    expect(fork.peek(site.texts, 'red')).toBe('x 5 of 1');
    apply(site, [{ store: 'members', key: 'b', value: { team: 'red', age: 6 } }]);
    site.graph.advance();
    expect(fork.isCurrent).toBe(false);
  });

  it('draws all graphs as one, each once', () => {
    const site = layered();
    expect(site.graph.toMermaid()).toBe(
      [
        'flowchart LR',
        '  n0[("members")]',
        '  n1_0[("members")]',
        '  n1_1["adults<br/><i>map</i>"]',
        '  n1_2{{"teams<br/><i>group</i>"}}',
        '  n1_0 --> n1_1',
        '  n1_1 --> n1_2',
        '  n0 ==> n1_0',
        '  n2_0[("titles")]',
        '  n3_0[("teams")]',
        '  n3_1[("titles")]',
        '  n3_2[("members")]',
        '  n3_3["texts<br/><i>map</i>"]',
        '  n3_0 --> n3_3',
        '  n3_1 -. reads .-> n3_3',
        '  n3_2 -. reads .-> n3_3',
        '  n1_2 ==> n3_0',
        '  n2_0 ==> n3_1',
        '  n0 ==> n3_2',
        '',
      ].join('\n'),
    );
    expect(site.graph.has(site.members)).toBe(true);
    expect(site.graph.has(createGraph().source('other'))).toBe(false);
  });
});
