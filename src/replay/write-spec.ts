import type { PipelineTiming } from '../pipeline.ts';
import { outputs } from './describe-lanes.ts';
import { laneMarbles } from './lane-marbles.ts';
import type { Recording } from './read-recording.ts';
import { runReplay } from './run-replay.ts';
import { asMarblesTell, lanesOf } from './to-marbles.ts';

export interface SpecOptions {
  readonly timing: PipelineTiming;
  /** Of the recording, seen from the spec: `./incident.ndjson`. */
  readonly recordingPath: string;
  /** Of the folder test/fixtures, seen from the spec. */
  readonly fixturesPath: string;
}

/**
 * A marble spec of a recording, for test/marbles: what came in, lane by lane, and what the pipeline makes of it now. Correct what should come
 * out, and there is a failing test to begin with.
 */
export function writeSpec(
  recording: Recording,
  { timing, recordingPath, fixturesPath }: SpecOptions,
): string {
  const inputs = Object.entries(lanesOf(recording)).map(([lane, { marbles }]) => [lane, quoted(marbles)]);
  const { events } = runReplay(asMarblesTell(recording), timing);
  const expected = ['wanted', ...outputs.filter((lane) => lane !== 'wanted')].flatMap((lane) => {
    const own = events.filter((event) => event.direction === 'out' && event.lane === lane);
    return own.length === 0
      ? []
      : [{ lane, ...laneMarbles(own.map(({ at, words }) => ({ at, value: words }))) }];
  });
  return `import { marbles } from 'rxjs-marbles';
import { describe, it } from 'vitest';
import { incident } from '${fixturesPath}/incident.ts';

describe('what happened on ${recording.begin.startedAt.slice(0, 19).replace('T', ' at ')}', () => {
  it(
    'goes as it went',
    marbles((m) => {
      const { expectLane } = incident(m, new URL('${recordingPath}', import.meta.url), {
${inputs.map(([lane, text]) => `        ${lane}: ${text},`).join('\n')}
      });
${expected
  .map(
    ({ lane, marbles, values }) => `      expectLane('${lane}', ${quoted(marbles)}, {
${Object.entries(values)
  .map(([symbol, words]) => `        ${symbol}: ${quoted(words)},`)
  .join('\n')}
      });`,
  )
  .join('\n')}
    }),
  );
});
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
