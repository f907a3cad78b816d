import { NEVER, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { sharePods } from '../../../src/world/share-pods.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import { buildWorld } from '../../../src/world/build-world.ts';
import { filesOf } from '../render/renderer-world.ts';

const config = loadConfig([
  {
    name: 'test',
    text: `haproxyConfig:
  template: |
    peers p
    {{#forEach controller.haproxyPods as |pod|}}
      peer {{pod.name}} {{pod.address}}:10000 # {{pod.namespace}}
    {{/forEach}}
`,
  },
]);

const pod = (name: string, address: string, more: Partial<HaproxyPod> = {}): HaproxyPod => ({
  key: `haptic/${name}`,
  uid: name,
  address,
  port: 5555,
  containerId: 'c',
  ...more,
});

function fatal(error: unknown): never {
  throw error;
}

describe('shared pods', () => {
  it('are what templates read of the fleet, in the configurations of now and of later', () => {
    const shared = sharePods();
    const fleet$ = new Subject<readonly HaproxyPod[]>();
    const following = shared.follow(fleet$, fatal);
    const worlds = [buildWorld({ config, constants: {}, pods: shared.pods })];
    const peers = () =>
      worlds.map(({ graph, renderer }) => {
        graph.advance();
        return filesOf(renderer.bundle())['haproxy.cfg']?.match(/peer .*/g) ?? [];
      });
    fleet$.next([pod('h-1', '10.0.0.1'), pod('h-0', '10.0.0.2')]);
    const both = ['peer h-0 10.0.0.2:10000 # haptic', 'peer h-1 10.0.0.1:10000 # haptic'];
    expect(peers()).toStrictEqual([both]);
    worlds.push(buildWorld({ config, constants: {}, pods: shared.pods }));
    expect(peers()).toStrictEqual([both, both]);
    fleet$.next([pod('h-1', '10.0.0.3')]);
    expect(peers()).toStrictEqual([
      ['peer h-1 10.0.0.3:10000 # haptic'],
      ['peer h-1 10.0.0.3:10000 # haptic'],
    ]);
    following.unsubscribe();
    for (const world of worlds) world.dispose();
  });

  it('are a change of every configuration when templates would see one, and else not', () => {
    const shared = sharePods();
    const fleet$ = new Subject<readonly HaproxyPod[]>();
    const following = shared.follow(fleet$, fatal);
    const changes$ = new Subject<string>();
    const seen: string[] = [];
    const watching = shared
      .withPods('world', changes$)
      .subscribe({ next: (world) => seen.push(world), error: fatal });
    fleet$.next([pod('h', '10.0.0.1')]);
    expect(seen).toStrictEqual([]);
    changes$.next('first');
    expect(seen).toStrictEqual(['world']);
    shared.pods.graph.advance();
    fleet$.next([pod('h', '10.0.0.1', { containerId: 'restarted' })]);
    expect(seen).toHaveLength(1);
    fleet$.next([pod('h', '10.0.0.2')]);
    expect(seen).toHaveLength(2);
    watching.unsubscribe();
    following.unsubscribe();
    expect([fleet$.observed, changes$.observed]).toStrictEqual([false, false]);
  });

  it('tell nobody anything as long as the stores are not there', () => {
    const seen: unknown[] = [];
    sharePods()
      .withPods('world', NEVER)
      .subscribe({ next: (world) => seen.push(world), error: fatal })
      .unsubscribe();
    expect(seen).toStrictEqual([]);
  });
});
