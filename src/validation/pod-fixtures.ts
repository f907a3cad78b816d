import { createGraph } from '../collections/create-graph.ts';
import type { WorldOptions } from '../world/build-world.ts';
import type { FixturePod } from './fixture-objects.ts';

/** The HAProxy pods of a test, as `controller.haproxyPods` reads them. */
export function podFixtures(pods: readonly FixturePod[]): NonNullable<WorldOptions['pods']> {
  const graph = createGraph();
  const collection = graph.source<unknown>('haproxy pods');
  for (const pod of pods) collection.set(`${pod.namespace}/${pod.name}`, pod);
  return { graph, collection };
}
