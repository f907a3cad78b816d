import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';

export interface Answer {
  readonly status: number;
  /** Address that the backend was reached at; empty for HAProxy's own answers. */
  readonly servedBy: string;
}

/** Sends requests to one HAProxy over one keep-alive connection. */
export interface Prober {
  ask(host: string): Promise<Answer>;
  /** Asks every millisecond until `isDone`; milliseconds from `since` to that answer. Every answer before goes to `seen`. */
  until(
    host: string,
    since: number,
    isDone: (answer: Answer) => boolean,
    seen: (answer: Answer) => void,
  ): Promise<number>;
  close(): Promise<void>;
}

const giveUpMs = 20_000;

export function createProber(port: number): Prober {
  const client = new Client(`http://127.0.0.1:${port}`, { pipelining: 1, keepAliveTimeout: 60_000 });
  const ask = async (host: string): Promise<Answer> => {
    try {
      const { statusCode, headers, body } = await client.request({
        method: 'GET',
        path: '/',
        headers: { host },
      });
      await body.dump();
      return { status: statusCode, servedBy: String(headers['x-served-by'] ?? '') };
    } catch {
      return { status: 0, servedBy: '' };
    }
  };
  return {
    ask,
    until: async (host, since, isDone, seen) => {
      for (;;) {
        const answer = await ask(host);
        const now = performance.now();
        if (isDone(answer)) return now - since;
        seen(answer);
        if (now - since > giveUpMs)
          throw new Error(`${host} did not answer as expected within ${giveUpMs} ms: ${answer.status}`);
        await sleep(1);
      }
    },
    close: () => client.close(),
  };
}
