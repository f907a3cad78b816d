import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ValidateFunction } from 'ajv';
import { orderedMapFrom } from '../lib/ordered-map.ts';
import type { KeptOutput, KeptOutputs } from '../protocol/kept-outputs.ts';
import { decodePlan } from './decode-plan.ts';
import { outputReader, type OutputRecord } from './output-records.ts';
import { planBlobLines } from './plan-blob-lines.ts';
import { outputsBegin } from './plan-records.ts';
import { planValidators } from './plan-validators.ts';

const slice = 200;
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
  const decoded = await decodePlan(blob, signal);
  const read = await planBlobLines(blob);
  if (decoded.kind === 'unusable' || 'reason' in read) return undefined;
  const readOutput = outputReader(decoded.plan);
  const outputs: [string, KeptOutput][] = [];
  let configuration: string | undefined;
  for (const line of read.lines) {
    if (line === '' || (configuration === undefined && !line.startsWith(outputsBegin))) continue;
    const record = parse(line);
    if (configuration === undefined) {
      if (!isOutputs(record)) return undefined;
      configuration = record[1];
      continue;
    }
    const output = isOutput(record) ? readOutput(record) : undefined;
    if (output === undefined || !isOutput(record)) return undefined;
    outputs.push([record[1], output]);
    if (outputs.length % slice === 0) await nextTurn(undefined, { ...(signal && { signal }) });
  }
  return configuration === undefined ? undefined : { configuration, outputs: orderedMapFrom(outputs) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
