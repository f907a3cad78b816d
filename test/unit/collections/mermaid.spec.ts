import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';

describe('toMermaid', () => {
  it('draws every collection with its kind, solid edges from sources and dotted ones for reads', () => {
    const graph = createGraph();
    const services = graph.source<number>('services');
    const slices = graph.source<number>('slices');
    const index = graph.indexBy('slices-by-service', slices, (n) => [`${n}`]);
    const all = graph.unionEntries('all', services, slices);
    const groups = graph.groupEntriesBy('groups', all, (n) => `${n}`);
    const flat = graph.flatMapEntries('flat', groups, (members, key) => [[key, members.length]]);
    graph.mapEntries('backends', flat, (n) => n, { reads: [services, index, services] });
    expect(graph.toMermaid()).toBe(
      [
        'flowchart LR',
        '  n0[("services")]',
        '  n1[("slices")]',
        '  n2>"slices-by-service<br/><i>index</i>"]',
        '  n3(["all<br/><i>union</i>"])',
        '  n4{{"groups<br/><i>group</i>"}}',
        '  n5[/"flat<br/><i>flatMap</i>"/]',
        '  n6["backends<br/><i>map</i>"]',
        '  n1 --> n2',
        '  n0 --> n3',
        '  n1 --> n3',
        '  n3 --> n4',
        '  n4 --> n5',
        '  n5 --> n6',
        '  n0 -. reads .-> n6',
        '  n2 -. reads .-> n6',
        '',
      ].join('\n'),
    );
  });

  it('escapes names that would break the drawing', () => {
    const graph = createGraph();
    graph.source('a"]; b<script> #1\nnext');
    expect(graph.toMermaid()).toBe('flowchart LR\n  n0[("a#quot;]; b#lt;script#gt; #35;1 next")]\n');
  });

  it('draws an empty graph, and forgets what was released', () => {
    const graph = createGraph();
    expect(graph.toMermaid()).toBe('flowchart LR\n');
    const mark = graph.mark();
    graph.source('x');
    graph.release(mark);
    expect(graph.toMermaid()).toBe('flowchart LR\n');
  });
});
