import type { ResourceRef } from '../kube/resource-path.ts';
import { longestObjectText, type Decoder } from './decoder.ts';
import type { TypeHint } from './normalize-object.ts';
import { parseWatchLine, type WatchLine } from './parse-watch-line.ts';
import { splitLines } from './split-lines.ts';

/**
 * Reads a watch while it arrives: the complete lines of each chunk. An unfinished line at the end is dropped, since the
 * watch resumes from before it. After garbage nothing of the chunk is read.
 */
export function watchDecoder(resource: ResourceRef & Pick<TypeHint, 'anyDepth'>): Decoder {
  const { apiVersion, resources: kind, anyDepth = false } = resource;
  const hint = { apiVersion, kind, anyDepth };
  let carry = '';

  return {
    push: (text) => {
      const split = splitLines(carry, text);
      ({ carry } = split);
      const lines: WatchLine[] = [];
      for (const text of split.lines) {
        const line = parseWatchLine(text, hint);
        lines.push(line);
        if (line.kind === 'garbage') break;
      }
      if (carry.length > longestObjectText)
        lines.push({ kind: 'garbage', message: `a watch line of ${carry.length} characters has no end` });
      return lines.length === 0 ? [] : [{ kind: 'lines', lines }];
    },
    end: () => ({ kind: 'closed' }),
  };
}
