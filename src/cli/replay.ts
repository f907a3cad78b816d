import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { outputs } from '../replay/describe-lanes.ts';
import { drawLanes } from '../replay/draw-lanes.ts';
import { readRecording } from '../replay/read-recording.ts';
import { inputLanes } from '../replay/replay-inputs.ts';
import { type ReplayResult, runReplay } from '../replay/run-replay.ts';
import { writeSpec } from '../replay/write-spec.ts';
import type { CliCall } from './cli-command.ts';
import { controllerTiming } from './controller/controller-timing.ts';
import type { replayOptions } from './replay-command.ts';

const timing = controllerTiming.pipeline;
/** Columns of a terminal for which diagrams are broken. */
const columns = 100;

/** `haptic replay`: what happened, as diagrams or as JSON, and a spec of it. */
export async function runReplayCommand(call: CliCall<typeof replayOptions>): Promise<number> {
  const { values, words, out, err } = call;
  const [file = ''] = words;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CodedError('HAPTIC_ERR_CLI_USAGE', `the recording cannot be read: ${errorMessage(cause)}`, {
      cause,
    });
  });
  const recording = readRecording(text);
  for (const note of recording.notes) err(`haptic replay: ${note}\n`);
  const result = runReplay(recording, timing);
  out(values.output === 'json' ? `${JSON.stringify(result)}\n` : drawn(result));
  if (values.spec !== undefined) {
    const spec = resolve(values.spec);
    const kept = join(dirname(spec), `${basename(spec).replace(/(\.spec)?\.ts$/, '')}.ndjson`);
    await mkdir(dirname(spec), { recursive: true });
    if (resolve(file) !== kept) await copyFile(file, kept);
    const fixtures = relative(dirname(spec), fixturesOf(spec)).replaceAll('\\', '/');
    const content = writeSpec(recording, {
      timing,
      recordingPath: `./${basename(kept)}`,
      fixturesPath: fixtures.startsWith('.') ? fixtures : `./${fixtures}`,
    });
    await writeFile(spec, content);
    err(`haptic replay: wrote ${spec} and ${kept}\n`);
  }
  return 0;
}

function drawn({ events, renders }: ReplayResult): string {
  const shown = [...inputLanes, ...outputs].filter((lane) => events.some((event) => event.lane === lane));
  const { diagram, legend } = drawLanes(shown, events);
  const { recorded, replayed } = renders;
  const same = new Set(replayed);
  const found = recorded.filter((planId) => same.has(planId)).length;
  return `${[
    ...broken(diagram),
    '',
    ...legend,
    '',
    `${replayed.length} renders here; of ${recorded.length} in the recording, ${found} came out the same`,
  ].join('\n')}\n`;
}

/** A diagram as blocks that fit, each with the names of the lanes. */
function broken(diagram: readonly string[]): readonly string[] {
  const head = Math.max(...diagram.map((line) => line.indexOf('  ') + 2));
  const width = Math.max(...diagram.map((line) => line.length - head));
  const blocks = Array.from({ length: Math.ceil(width / (columns - head)) }, (_, n) =>
    diagram.map((line) => {
      const start = head + n * (columns - head);
      return `${line.slice(0, head)}${line.slice(start, start + columns - head)}`.trimEnd();
    }),
  );
  return blocks.flatMap((block, n) => (n === 0 ? block : ['', ...block]));
}

/** test/fixtures of the working copy that the spec is in. */
function fixturesOf(spec: string): string {
  const at = spec.lastIndexOf('/test/');
  return at < 0 ? join(dirname(spec), '../../fixtures') : join(spec.slice(0, at), 'test/fixtures');
}
