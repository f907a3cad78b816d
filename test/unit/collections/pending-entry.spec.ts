import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { isPendingEntry, pendingEntry } from '../../../src/collections/pending-entry.ts';

function setUp() {
  const graph = createGraph({ checkPurity: { seed: 7 } });
  const items = graph.source<string>('items');
  const contents = graph.source<string>('contents');
  const made = graph.mapEntries<string, string>(
    'made',
    items,
    (item, key, reader) => {
      reader.report({
        severity: 'warning',
        reason: 'Seen',
        field: '',
        message: item,
        owner: { kind: 'items', namespace: '', name: key },
      });
      const content = reader.read(contents, item);
      if (content === undefined) throw pendingEntry(item);
      return content;
    },
    { reads: [contents] },
  );
  const problems = () => graph.problems.keys().map((key) => graph.problems.peek(key)?.reason);
  return { graph, items, contents, made, problems };
}

describe('pendingEntry', () => {
  it('keeps an entry away until what it reads is there, and blames nobody', () => {
    const { graph, items, contents, made, problems } = setUp();
    items.set('a', 'x');
    graph.advance();
    expect(made.peek('a')).toBeUndefined();
    expect(problems()).toStrictEqual(['Seen']);
    contents.set('x', 'content');
    graph.advance();
    expect(made.peek('a')).toBe('content');
    expect(problems()).toStrictEqual(['Seen']);
  });

  it('leaves an entry as it is while it needs something that is not there', () => {
    const { graph, items, contents, made } = setUp();
    contents.set('x', 'old');
    items.set('a', 'x');
    graph.advance();
    items.set('a', 'y');
    graph.advance();
    expect(made.peek('a')).toBe('old');
    contents.set('y', 'new');
    graph.advance();
    expect(made.peek('a')).toBe('new');
  });

  it('lets a pending entry go with its source', () => {
    const { graph, items, made } = setUp();
    items.set('a', 'x');
    graph.advance();
    items.delete('a');
    graph.advance();
    expect(made.size).toBe(0);
    expect(graph.stats().nodes.every(({ readers }) => readers === 0)).toBe(true);
  });

  it('is told from other errors', () => {
    expect(isPendingEntry(pendingEntry('x'))).toBe(true);
    expect(isPendingEntry(new Error('x'))).toBe(false);
    expect(isPendingEntry('x')).toBe(false);
  });
});
