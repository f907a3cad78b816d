import { type CliOptions, defineCommand } from './cli-command.ts';
import { debugOption } from './debug-option.ts';

export const tapOptions = {
  url: debugOption,
  filter: {
    value: 'TEST',
    short: 'f',
    summary:
      'only values for which it holds: PATH=TEXT, PATH!=TEXT, PATH=~REGEX, or PATH for one that is there; all must hold',
    repeat: true,
  },
  select: { value: 'PATH', short: 's', summary: 'only this part of a value', repeat: true },
  limit: { value: 'N', short: 'n', summary: 'end after so many lines' },
  for: { value: 'DURATION', summary: 'end after so long, such as 30s' },
  record: {
    value: 'FILE',
    summary:
      'instead of a tap, write everything that comes into the pipeline to a file, without secrets, for haptic replay',
  },
} as const satisfies CliOptions;

export const tapCommand = defineCommand({
  name: 'tap',
  summary: 'watches an arrow of the running pipeline: a line of JSON per value, the current one first',
  description:
    'Without a NAME, tells which taps there are. Values that could not be written in time are lost, and how many is said on stderr. ' +
    "A PATH is as in watchedResources.indexBy: pod.key, metadata.labels['a/b'], reasons[*].",
  words: [{ name: 'NAME', summary: 'the tap', optional: true }],
  options: tapOptions,
  examples: [
    { what: 'Which taps there are', line: 'haptic tap' },
    { what: 'How bringing each pod to each render ends', line: 'haptic tap deliveries' },
    {
      what: 'Only reloads, and why',
      line: 'haptic tap deliveries --filter mode=reload --select pod.key --select reasons',
    },
    {
      what: 'What comes into the pipeline for a minute',
      line: 'haptic tap --record incident.ndjson --for 1m',
    },
    { what: 'Objects that are held back now', line: 'haptic tap quarantine --limit 1 --select objects' },
  ],
  load: async () => (await import('./tap.ts')).runTap,
});
