import { type ChurnFigures, runChurn } from '../fixtures/churn/run-churn.ts';
import { haproxyLines } from '../fixtures/haproxy-lines.ts';
import { countFlag, seedFlag } from './lib/soak-flags.ts';
import type { SoakInput, SoakReport } from './lib/soak.ts';

/**
 * Zero lost requests: constant load while endpoints and routes change all the time, on a fleet with a pod of every line. Nothing may
 * fail, no change of endpoints may reload any line, and 3.4 may not be reloaded at all.
 */
export const flags = {
  minutes: 'how long (default 10)',
  seconds: 'how long, in place of minutes',
  rate: 'writes to the API in a second (default 50)',
  load: 'requests in a second of each of three kinds to each pod (default 25)',
  lines: 'HAProxy lines, e.g. 2.6,3.4 (default: each line found)',
  seed: 'of the changes (default: a random one)',
};

export async function run({ values, say }: SoakInput): Promise<SoakReport> {
  const seconds =
    values['seconds'] === undefined
      ? countFlag(values, 'minutes', 10, 1) * 60
      : countFlag(values, 'seconds', 60, 1);
  const wanted = values['lines']?.split(',');
  const lines = haproxyLines().found.filter(({ line }) => wanted?.includes(line) ?? true);
  if (lines.length === 0) throw new RangeError('none of these lines is there');
  const seed = seedFlag(values);
  const figures = await runChurn({
    lines,
    seconds,
    rate: countFlag(values, 'rate', 50, 1),
    load: countFlag(values, 'load', 25, 1),
    seed,
    say,
  });
  return { ok: holds(figures), seed, lines: lines.map(({ line }) => line), ...figures };
}

/** The claim itself. */
export function holds({ load, pods }: ChurnFigures): boolean {
  return (
    load.failed === 0 &&
    Object.entries(pods).every(
      ([line, { reloads, unexplained, failures }]) =>
        unexplained.length === 0 && failures.length === 0 && (line !== '3.4' || reloads === 0),
    )
  );
}
