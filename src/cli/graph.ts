import { buildWorld } from '../world/build-world.ts';
import { newestConstants } from './newest-constants.ts';
import { askController } from './ask-controller.ts';
import type { CliCall } from './cli-command.ts';
import type { graphOptions } from './graph-command.ts';
import { librariesPath } from './libraries-path.ts';
import { readConfig } from './read-config.ts';

/** `haptic graph`: the graph of a running controller, or of a configuration. */
export async function runGraph({ values, signal, out }: CliCall<typeof graphOptions>): Promise<number> {
  const graph = await drawn();
  out(graph.endsWith('\n') ? graph : `${graph}\n`);
  return 0;

  async function drawn(): Promise<string> {
    if (values.url !== undefined) return (await askController(values.url, 'graph', signal)).text();
    const config = await readConfig(values.libraries ?? librariesPath(import.meta.url), values.values);
    const world = buildWorld({ config, constants: newestConstants() });
    try {
      return world.graph.toMermaid();
    } finally {
      world.renderer.dispose();
    }
  }
}
