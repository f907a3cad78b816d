import { limits } from '../../protocol/limits.ts';
import { cliRequest } from './cli-request.ts';
import type { RuntimeCommand } from './command.ts';
import { parseReplies } from './parse-replies.ts';

/**
 * The commands after `prepare map` that fill version `version` of a map and switch to it: payload chunks under the
 * payload limit, then the commit. Readers see the old map until the commit, then the new one, never a mixture.
 */
export function replaceMapCommands(
  path: string,
  version: number,
  entries: readonly string[],
): RuntimeCommand[] {
  const commands: RuntimeCommand[] = [];
  let chunk: string[] = [];
  let size = 0;
  const close = () => {
    if (chunk.length > 0)
      commands.push({
        text: `add map @${String(version)} ${path}`,
        payload: chunk,
        success: 'silent',
        countsLater: true,
      });
    chunk = [];
    size = 0;
  };
  for (const entry of entries) {
    const length = Buffer.byteLength(entry) + 1;
    if (size + length > limits.payloadContentBytes) close();
    chunk.push(entry);
    size += length;
  }
  close();
  commands.push({ text: `commit map @${String(version)} ${path}`, success: 'silent' });
  return commands;
}

/** `prepare map`: a new, empty version. The number, or HAProxy's refusal; undefined: it did not answer. */
export async function prepareMap(
  socket: string,
  path: string,
): Promise<
  | { readonly ok: true; readonly version: number }
  | { readonly ok: false; readonly output: string | undefined }
> {
  const answer = await cliRequest(socket, `set severity-output number;prepare map ${path}`, {
    timeoutMs: limits.cliRoundTripMs,
  });
  const text = parseReplies(answer)[1]?.text;
  const version = /New version created: (\d+)/.exec(text ?? '')?.[1];
  return version === undefined ? { ok: false, output: text } : { ok: true, version: Number(version) };
}
