import { type CliOptions, defineCommand } from './cli-command.ts';

export const replayOptions = {
  output: {
    value: 'FORMAT',
    short: 'o',
    summary: 'how to print what happens',
    choices: ['text', 'json'],
    default: 'text',
  },
  spec: {
    value: 'FILE',
    summary:
      'also write a marble spec, and the recording beside it as .ndjson: in a working copy, below test/marbles',
  },
} as const satisfies CliOptions;

export const replayCommand = defineCommand({
  name: 'replay',
  summary:
    'runs a recording of "haptic tap --record" through the pipeline again, in virtual time, with nothing but this program',
  description:
    'Prints marble diagrams: what came in, lane by lane, and what comes out of the templates, the gate and the latch of this program. ' +
    'Verdicts of HAProxy and acknowledgements of pods are those of the recording.',
  words: [{ name: 'FILE', summary: 'the recording' }],
  options: replayOptions,
  examples: [
    { what: 'See what happened', line: 'haptic replay incident.ndjson' },
    {
      what: 'Make a test of it',
      line: 'haptic replay incident.ndjson --spec test/marbles/incidents/incident.spec.ts',
    },
  ],
  load: async () => (await import('./replay.ts')).runReplayCommand,
});
