import { type CliOptions, defineCommand } from './cli-command.ts';
import { configOptions } from './config-options.ts';

export const graphOptions = {
  url: {
    value: 'URL',
    summary: 'the debug pages of a running controller, to draw what runs there',
    env: 'HAPTIC_DEBUG',
    otherwise: 'draw the configuration of the flags below',
  },
  ...configOptions,
} as const satisfies CliOptions;

export const graphCommand = defineCommand({
  name: 'graph',
  summary: 'draws the collections between the watched resources and the templates, as a mermaid flowchart',
  options: graphOptions,
  examples: [
    { what: 'What the shipped libraries compute', line: 'haptic graph' },
    { what: 'What a controller computes', line: 'haptic graph --url http://127.0.0.1:8080/debug' },
  ],
  streams: true,
  load: async () => (await import('./graph.ts')).runGraph,
});
