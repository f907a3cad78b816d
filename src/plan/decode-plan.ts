import { runWithTurns } from '../lib/run-with-turns.ts';
import { planBlobLines } from './plan-blob-lines.ts';
import { planOfLines, type DecodedPlan } from './plan-of-lines.ts';

/**
 * Reads a blob of `encodePlan`. Nothing of it is trusted: another schema version, a broken or cut blob, a record that is not
 * one, texts that do not have the digests they are said to have, or an id that is not that of the content make it unusable,
 * with the reason. Works in slices with turns of the event loop between them; rejects only when aborted.
 *
 * Outputs that follow the plan are left unread: see `decodeOutputs`.
 *
 * Content of files other than the configuration, maps and crt-lists with declared entries is not in a blob: asking for it throws.
 */
export async function decodePlan(blob: Uint8Array, signal?: AbortSignal): Promise<DecodedPlan> {
  const read = await planBlobLines(blob);
  if ('reason' in read) return { kind: 'unusable', reason: `plan blob: ${read.reason}` };
  const { decoded } = await runWithTurns(planOfLines(read.lines), signal);
  return decoded;
}
