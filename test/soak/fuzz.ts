import { fuzzTargets } from '../fixtures/fuzz/fuzz-targets.ts';
import { runFuzz, type FuzzFigures } from '../fixtures/fuzz/run-fuzz.ts';
import { countFlag, seedFlag } from './lib/soak-flags.ts';
import type { SoakInput, SoakReport } from './lib/soak.ts';

/** Damaged inputs for every reader of what comes from outside: no crash, no hang, nothing written beside the base dir, no growth. */
export const flags = {
  inputs: 'for each target (default 1000000)',
  target: `one of ${Object.keys(fuzzTargets).join(' ')} (default: all)`,
  seed: 'of the inputs (default: a random one)',
  from: 'number of the first input (default 0)',
};

const mostGrowthMiB = 32;

export async function run({ values, say }: SoakInput): Promise<SoakReport> {
  const inputs = countFlag(values, 'inputs', 1_000_000, 1);
  const from = countFlag(values, 'from', 0);
  const seed = seedFlag(values);
  const names = Object.keys(fuzzTargets).filter((name) => (values['target'] ?? name) === name);
  const targets: Record<string, FuzzFigures> = {};
  const failures: string[] = [];
  for (const name of names) {
    const target = await fuzzTargets[name]?.();
    if (target === undefined) continue;
    try {
      const onProgress = (done: number) => say(`${name}: ${done}`);
      const figures = await runFuzz(target, { seed, from, inputs, onProgress });
      targets[name] = figures;
      if (figures.heapGrowthMiB > mostGrowthMiB)
        failures.push(`${name}: the heap grew by ${figures.heapGrowthMiB} MiB`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      failures.push(`${name}: ${message}`);
      say(
        `${name}: ${message}\n${String(error instanceof Error && error.cause instanceof Error ? error.cause.stack : '')}`,
      );
    } finally {
      await target.close?.();
    }
  }
  return { ok: failures.length === 0 && names.length > 0, seed, targets, failures };
}
