import { Subject, defer, finalize } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Collection, Delta } from '../../../src/collections/types.ts';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { HttpContent } from '../../../src/protocol/http-content.ts';
import { buildWorld } from '../../../src/world/build-world.ts';

const configOf = (template: string) =>
  loadConfig([{ name: 'test', text: JSON.stringify({ haproxyConfig: { template }, watchedResources: {} }) }]);

/** Contents that many configurations share, and how many of them follow those. */
function sharedContents() {
  const graph = createGraph();
  const deltas = new Subject<readonly Delta<HttpContent>[]>();
  let followers = 0;
  const source = graph.source<HttpContent>('contents');
  const contents: Collection<HttpContent> = {
    name: source.name,
    size: 0,
    peek: () => undefined,
    keys: () => [],
    deltas$: defer(() => {
      followers++;
      return deltas.pipe(finalize(() => followers--));
    }),
  };
  const reads = { contents, want: () => 'key', absent: { kind: 'waiting' } as const };
  return { http: { graph, reads }, followers: () => followers };
}

describe('buildWorld', () => {
  it('follows what is shared until it is disposed of', () => {
    const { http, followers } = sharedContents();
    const world = buildWorld({ config: configOf('global\n'), constants: {}, http });
    expect(followers()).toBe(1);
    world.dispose();
    expect(followers()).toBe(0);
  });

  it('follows nothing when its templates are wrong', () => {
    const { http, followers } = sharedContents();
    expect(() => buildWorld({ config: configOf('{{nonsense 1}}'), constants: {}, http })).toThrow('nonsense');
    expect(followers()).toBe(0);
  });
});
