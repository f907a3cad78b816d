import type { ServerResponse } from 'node:http';

/**
 * The body of one watch: lines in order, written in the caller's own tick as long as the socket takes them. What it
 * does not take waits in memory up to `maxPending` characters; beyond that the watch is cut, as kube-apiserver does
 * with slow watchers.
 */
export interface WatchResponse {
  readonly send: (line: string) => void;
  /**
   * Lines made while the response drains, `batch` at a time and a turn apart, so that a large list blocks nobody; then
   * `last`. What is sent meanwhile comes after it.
   */
  readonly sendAll: (lines: Iterable<string>, last: readonly string[]) => void;
  readonly end: () => void;
  /** Breaks off in the middle of `line`. */
  readonly cut: (line: string) => void;
  readonly silence: () => void;
}

const maxPending = 64 * 1024 * 1024;
const batch = 500;

export function createWatchResponse(response: ServerResponse): WatchResponse {
  let pending: string[] = [];
  let pendingSize = 0;
  let blocked = false;
  let loading = false;
  let silent = false;

  const flush = () => {
    if (blocked || loading || pending.length === 0) return;
    const text = pending.join('');
    pending = [];
    pendingSize = 0;
    write(text);
  };
  const write = (text: string) => {
    if (silent || response.destroyed || response.writableEnded) return;
    if (!response.write(text)) {
      blocked = true;
      response.once('drain', () => {
        blocked = false;
        flush();
      });
    }
  };

  return {
    send: (line) => {
      if (!blocked && !loading) {
        write(line);
        return;
      }
      pending.push(line);
      pendingSize += line.length;
      if (pendingSize > maxPending) response.destroy();
    },
    sendAll: (lines, last) => {
      const iterator = lines[Symbol.iterator]();
      loading = true;
      const step = () => {
        if (response.destroyed) return;
        const texts: string[] = [];
        let next = iterator.next();
        for (; next.done !== true; next = iterator.next()) {
          texts.push(next.value);
          if (texts.length === batch) break;
        }
        if (texts.length > 0) write(texts.join(''));
        if (next.done !== true) {
          if (blocked) response.once('drain', step);
          else setImmediate(step);
          return;
        }
        pending.unshift(...last);
        loading = false;
        flush();
      };
      step();
    },
    end: () => response.end(),
    cut: (line) => {
      response.write(line.slice(0, Math.ceil(line.length / 2)), () => response.destroy());
    },
    silence: () => {
      silent = true;
    },
  };
}
