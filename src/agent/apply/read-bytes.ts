import { CodedError } from '../../lib/coded-error.ts';

/** All bytes of a part; throws CodedError `HAPTIC_ERR_AGENT_BODY` when there are more than `limit`. */
export async function readBytes(
  content: AsyncIterable<unknown>,
  limit: number,
  what: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > limit)
      throw new CodedError('HAPTIC_ERR_AGENT_BODY', `${what} has more than ${String(limit)} bytes`);
    chunks.push(chunk);
  }
  const first = chunks[0];
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
}
