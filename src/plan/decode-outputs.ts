import type { ValidateFunction } from 'ajv';
import { orderedMapInSlices } from '../lib/ordered-map-in-slices.ts';
import { runWithTurns } from '../lib/run-with-turns.ts';
import type { Slices } from '../lib/slices.ts';
import type { KeptOutput, KeptOutputs } from '../protocol/kept-outputs.ts';
import { outputReader, type OutputRecord } from './output-records.ts';
import { planBlobLines } from './plan-blob-lines.ts';
import { planOfLines } from './plan-of-lines.ts';
import { planValidators } from './plan-validators.ts';

/** Records between two pauses. */
const slice = 32;
const isOutputs = planValidators.outputs as ValidateFunction<readonly ['outputs', string]>;
const isOutput = planValidators.output as ValidateFunction<OutputRecord>;

/**
 * The accepted outputs that a blob of `encodePlan` has besides the plan. Undefined when it has none, or when the plan or a record of
 * them is unusable: then nothing of it is believed. Works in slices with turns of the event loop between them; rejects only when
 * aborted.
 */
export async function decodeOutputs(
  blob: Uint8Array,
  signal?: AbortSignal,
): Promise<KeptOutputs | undefined> {
  const read = await planBlobLines(blob);
  return 'reason' in read ? undefined : runWithTurns(outputsOfLines(read.lines), signal);
}

function* outputsOfLines(lines: Iterator<string, undefined>): Slices<KeptOutputs | undefined> {
  const { decoded, outputs: begin } = yield* planOfLines(lines);
  if (decoded.kind === 'unusable' || begin === undefined) return undefined;
  const first = parse(begin);
  if (!isOutputs(first)) return undefined;
  const readOutput = outputReader(decoded.plan);
  const outputs: [string, KeptOutput][] = [];
  for (let line = lines.next().value; line !== undefined; line = lines.next().value) {
    if (line === '') continue;
    const record = parse(line);
    const output = isOutput(record) ? readOutput(record) : undefined;
    if (output === undefined || !isOutput(record)) return undefined;
    outputs.push([record[1], output]);
    if (outputs.length % slice === 0) yield;
  }
  return { configuration: first[1], outputs: yield* orderedMapInSlices(outputs) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
