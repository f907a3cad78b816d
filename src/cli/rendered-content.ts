import { zstdDecompressSync } from 'node:zlib';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { isRecord } from '../lib/is-record.ts';

/** Content that grows to more than this is not one of ours. */
const mostBytes = 256 * 1024 * 1024;

/**
 * The text of a published object (HAProxyCfg, HAProxyMapFile, …), decompressed: `spec.content`, base64 of zstd where `spec.compressed` says
 * so.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_READ` when it is none
 */
export function renderedContent(object: unknown): string {
  const { kind, spec } = isRecord(object) ? object : {};
  const { content, entries, compressed } = isRecord(spec) ? spec : {};
  const text = content ?? entries;
  if (typeof text !== 'string')
    throw unusable(`${typeof kind === 'string' ? kind : 'what was read'} has no spec.content`);
  if (compressed !== true) return text;
  try {
    return zstdDecompressSync(Buffer.from(text, 'base64'), { maxOutputLength: mostBytes }).toString('utf8');
  } catch (error) {
    throw unusable(
      `spec.content is said to be compressed and cannot be decompressed: ${errorMessage(error)}`,
    );
  }
}

function unusable(reason: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_READ', reason);
}
